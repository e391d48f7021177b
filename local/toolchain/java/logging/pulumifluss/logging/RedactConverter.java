package pulumifluss.logging;

import java.util.List;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.core.pattern.ConverterKeys;
import org.apache.logging.log4j.core.pattern.LogEventPatternConverter;
import org.apache.logging.log4j.core.pattern.PatternConverter;
import org.apache.logging.log4j.core.pattern.PatternFormatter;

/**
 * Log4j's pattern {@code %redact{pattern}}: what the inner pattern writes, stack traces included, without secrets.
 *
 * <p>Log4j makes it when it reads our {@code log4j2.xml}, before the program's first line; that is also the moment to guard
 * the standard streams, which all goes to that is not logged by Log4j.
 */
@Plugin(name = "redact", category = PatternConverter.CATEGORY)
@ConverterKeys("redact")
public final class RedactConverter extends LogEventPatternConverter {
    private static final Redactor REDACTOR = new Redactor(KnownSecrets.ofSystemProperty());

    static {
        StandardStreams.guard(REDACTOR);
    }

    private final List<PatternFormatter> formatters;

    private RedactConverter(List<PatternFormatter> formatters) {
        super("redact", "redact");
        this.formatters = formatters;
    }

    /** Called by Log4j. @param options one element, the inner pattern */
    public static RedactConverter newInstance(Configuration configuration, String[] options) {
        if (options.length != 1) {
            throw new IllegalArgumentException("%redact takes one pattern, not " + options.length);
        }
        return new RedactConverter(PatternLayout.createPatternParser(configuration).parse(options[0]));
    }

    @Override
    public void format(LogEvent event, StringBuilder output) {
        StringBuilder inner = new StringBuilder();
        for (PatternFormatter formatter : formatters) {
            formatter.format(event, inner);
        }
        output.append(REDACTOR.redact(inner.toString()));
    }

    /** Keeps Log4j from writing the stack trace a second time, outside of this pattern. */
    @Override
    public boolean handlesThrowable() {
        return true;
    }
}
