import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Properties;
import java.util.StringJoiner;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.ConnectionFactory;
import org.apache.fluss.client.admin.Admin;
import org.apache.fluss.config.Configuration;
import org.apache.fluss.metadata.PartitionInfo;
import org.apache.fluss.metadata.TableInfo;
import org.apache.fluss.metadata.TablePath;

/**
 * Prints what Fluss' own Java client sees of a database, without Flink: for each table the words TABLE, its name, its
 * descriptor (JSON in base64, since the standard output holds log lines, too), and the names of its partitions.
 * The standard input has the options of the client as Java properties, and `database`.
 */
public final class TableReport {
    public static void main(String[] arguments) throws Exception {
        Properties given = new Properties();
        given.load(System.in);
        String database = (String) given.remove("database");
        Configuration options = new Configuration();
        given.forEach((key, value) -> options.setString((String) key, (String) value));
        try (Connection connection = ConnectionFactory.createConnection(options);
                Admin admin = connection.getAdmin()) {
            for (String name : admin.listTables(database).get()) {
                TablePath path = TablePath.of(database, name);
                TableInfo table = admin.getTableInfo(path).get();
                byte[] descriptor = table.toTableDescriptor().toJsonBytes();
                StringJoiner partitions = new StringJoiner(",");
                if (!table.getPartitionKeys().isEmpty()) {
                    for (PartitionInfo partition : admin.listPartitionInfos(path).get()) {
                        partitions.add(partition.getResolvedPartitionSpec().getPartitionQualifiedName());
                    }
                }
                String json = new String(Base64.getEncoder().encode(descriptor), StandardCharsets.US_ASCII);
                System.out.println(String.join(" ", "TABLE", name, json, partitions.toString()));
            }
        }
    }
}
