import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.fluss.client.initializer.OffsetsInitializer;
import org.apache.fluss.config.Configuration;
import org.apache.fluss.flink.sink.FlussSink;
import org.apache.fluss.flink.sink.serializer.RowDataSerializationSchema;
import org.apache.fluss.flink.source.FlussSource;
import org.apache.fluss.flink.source.deserializer.RowDataDeserializationSchema;

/**
 * Reads id, name and amount of one Fluss table from the beginning, writes the name in capitals, and writes the rows to another
 * table (documentation of the Fluss DataStream connector). Both tables must be there.
 *
 * <p>Arguments: {@code --database}, {@code --input-table}, {@code --output-table}; all others are options of the Fluss client
 * under their own names, as the reader {@code dataStream} of a lakehouse gives them: {@code --bootstrap.servers host:port
 * --client.security.protocol sasl ...}.
 */
public final class FlussDataStreamJob {
    public static void main(String[] arguments) throws Exception {
        Map<String, String> options = new HashMap<>(ParameterTool.fromArgs(arguments).toMap());
        String database = required(options, "database");
        String inputTable = required(options, "input-table");
        String outputTable = required(options, "output-table");
        String bootstrapServers = required(options, "bootstrap.servers");
        Configuration client = Configuration.fromMap(options);

        FlussSource<RowData> source =
                FlussSource.<RowData>builder()
                        .setBootstrapServers(bootstrapServers)
                        .setDatabase(database)
                        .setTable(inputTable)
                        .setProjectedFields("id", "name", "amount")
                        .setFlussConfig(client)
                        .setStartingOffsets(OffsetsInitializer.earliest())
                        .setScanPartitionDiscoveryIntervalMs(1000L)
                        .setDeserializationSchema(new RowDataDeserializationSchema())
                        .build();
        FlussSink<RowData> sink =
                FlussSink.<RowData>builder()
                        .setBootstrapServers(bootstrapServers)
                        .setDatabase(database)
                        .setTable(outputTable)
                        .setOptions(options)
                        .setSerializationSchema(new RowDataSerializationSchema(false, false))
                        .build();

        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStreamSource<RowData> rows =
                environment.fromSource(source, WatermarkStrategy.noWatermarks(), "Fluss source");
        rows.map(FlussDataStreamJob::inCapitals).returns(rows.getType()).sinkTo(sink);
        environment.execute("Fluss DataStream job");
    }

    private static RowData inCapitals(RowData row) {
        GenericRowData changed = new GenericRowData(row.getRowKind(), 3);
        changed.setField(0, row.getInt(0));
        changed.setField(1, row.isNullAt(1) ? null : StringData.fromString(row.getString(1).toString().toUpperCase()));
        changed.setField(2, row.isNullAt(2) ? null : row.getInt(2));
        return changed;
    }

    /** Takes the argument out of the map, except the address, which the client wants, too. */
    private static String required(Map<String, String> options, String name) {
        String value = name.equals("bootstrap.servers") ? options.get(name) : options.remove(name);
        if (value == null) {
            throw new IllegalArgumentException("the argument --" + name + " is missing");
        }
        return value;
    }
}
