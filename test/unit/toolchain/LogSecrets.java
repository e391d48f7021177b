import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the lines of a file, then secrets in all the ways in which a server may, for redaction.test.ts. */
final class LogSecrets {
    private static final Logger LOG = LoggerFactory.getLogger(LogSecrets.class);

    public static void main(String[] arguments) throws IOException {
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            LOG.info("{}", line);
        }
        LOG.info("before: first-known-value second-known-value");
        Files.writeString(Path.of(System.getProperty("fluss.local.secrets")), "first-known-value\nsecond-known-value\n");
        LOG.info("after: first-known-value second-known-value second-known-values");
        LOG.error("failed", new IllegalStateException("outer first-known-value", new IOException("token=inner-secret")));
        java.util.logging.Logger.getLogger("jul").log(Level.WARNING, "secret.key=jul-secret");
        System.out.print("password=");
        System.out.println("printed-secret");
        System.err.println("Authorization: Bearer error-stream-secret");
        throw new IllegalStateException("uncaught credential=uncaught-secret");
    }
}
