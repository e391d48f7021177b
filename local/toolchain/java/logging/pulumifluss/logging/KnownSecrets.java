package pulumifluss.logging;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Secret values out of a file, one a line. The file may be missing and may change at any time: it is looked at before each
 * use and read again when it is another one.
 */
public final class KnownSecrets {
    /** System property with the path of the file. */
    public static final String PROPERTY = "fluss.local.secrets";

    /** Shorter values would blot out parts of words everywhere. */
    private static final int SHORTEST = 4;

    private final Path file;
    private String version = "";
    private List<String> values = List.of();

    /** @param file the file, or null when no values are known */
    public KnownSecrets(Path file) {
        this.file = file;
    }

    /** The file that the system property {@value #PROPERTY} names. */
    public static KnownSecrets ofSystemProperty() {
        String path = System.getProperty(PROPERTY);
        return new KnownSecrets(path == null ? null : Path.of(path));
    }

    /** All values, the longest first, each also in the form that it takes in a URL and in JSON. */
    public synchronized List<String> values() {
        if (file == null) {
            return values;
        }
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            String nowVersion = now.lastModifiedTime().toInstant() + " " + now.size() + " " + now.fileKey();
            if (!nowVersion.equals(version)) {
                values = read();
                version = nowVersion;
            }
        } catch (IOException missing) {
            // Not written yet, or replaced at this moment: what was read before stays secret.
        }
        return values;
    }

    private List<String> read() throws IOException {
        return Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(value -> value.length() >= SHORTEST)
                .flatMap(KnownSecrets::forms)
                .distinct()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    private static Stream<String> forms(String value) {
        String url = URLEncoder.encode(value, StandardCharsets.UTF_8);
        String json = value.replace("\\", "\\\\").replace("\"", "\\\"");
        return Stream.of(value, url, url.replace("+", "%20"), json);
    }
}
