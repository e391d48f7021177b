package pulumifluss.catalog;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/**
 * An Iceberg REST catalog for one machine: it listens on 127.0.0.1 only, keeps its tables in a JDBC database and checks
 * neither tokens nor warehouses; that is for the server in front of it.
 *
 * <p>The only argument is the path of a properties file, so that no secret is among the arguments:
 *
 * <pre>
 * port=8181
 * vend=s3.access-key-id,s3.secret-access-key     # given to clients with each table; none by default
 * catalog.warehouse=s3://bucket/prefix           # catalog.* is passed on to Iceberg's JdbcCatalog
 * catalog.uri=jdbc:sqlite:/path/catalog.db
 * catalog.io-impl=org.apache.iceberg.aws.s3.S3FileIO
 * catalog.s3.access-key-id=…
 * </pre>
 */
public final class CatalogServer {
    private static final String CATALOG_PREFIX = "catalog.";

    private CatalogServer() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 1) {
            fail("The only argument is the path of the properties file; there were " + arguments.length + ".");
        }
        Properties settings = read(Path.of(arguments[0]));
        int port = port(settings);
        Map<String, String> options = catalogOptions(settings);
        Catalog catalog = CatalogUtil.loadCatalog(JdbcCatalog.class.getName(), "local", options, null);
        VendingAdapter adapter = new VendingAdapter(catalog, vended(settings, options));

        ServletContextHandler handler = new ServletContextHandler(ServletContextHandler.NO_SESSIONS);
        handler.addServlet(new ServletHolder(new RESTCatalogServlet(adapter)), "/*");
        Server server = new Server(new InetSocketAddress("127.0.0.1", port));
        server.setHandler(handler);
        server.setStopAtShutdown(true);
        server.start();
        System.out.println("Iceberg REST catalog listens on " + server.getURI());
        server.join();
    }

    private static Properties read(Path file) throws IOException {
        Properties settings = new Properties();
        try (InputStream stream = Files.newInputStream(file)) {
            settings.load(stream);
        }
        return settings;
    }

    private static int port(Properties settings) {
        String port = settings.getProperty("port", "");
        if (!port.matches("\\d{1,5}")) {
            fail("port must be a number, but is '" + port + "'.");
        }
        return Integer.parseInt(port);
    }

    private static Map<String, String> catalogOptions(Properties settings) {
        Map<String, String> options = new TreeMap<>();
        for (String name : settings.stringPropertyNames()) {
            if (name.startsWith(CATALOG_PREFIX)) {
                options.put(name.substring(CATALOG_PREFIX.length()), settings.getProperty(name).strip());
            }
        }
        for (String name : new String[] {"warehouse", "uri"}) {
            if (options.getOrDefault(name, "").isEmpty()) {
                fail(CATALOG_PREFIX + name + " is missing.");
            }
        }
        // Views need the second version of the tables. SQLite knows one writer at a time: one connection lets calls queue.
        options.putIfAbsent("jdbc.schema-version", "V1");
        options.putIfAbsent("clients", "1");
        return options;
    }

    /** The options that clients are given, as {@code vend} names them. */
    private static Map<String, String> vended(Properties settings, Map<String, String> options) {
        Map<String, String> vended = new TreeMap<>();
        for (String entry : settings.getProperty("vend", "").split(",")) {
            String name = entry.strip();
            if (name.isEmpty()) {
                continue;
            }
            if (!options.containsKey(name)) {
                fail("vend names " + name + ", but " + CATALOG_PREFIX + name + " is missing.");
            }
            vended.put(name, options.get(name));
        }
        return vended;
    }

    private static void fail(String message) {
        System.err.println("Iceberg REST catalog: " + message);
        System.exit(2);
    }
}
