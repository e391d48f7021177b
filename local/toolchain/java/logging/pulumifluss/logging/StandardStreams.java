package pulumifluss.logging;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Takes secrets out of what a program writes to its standard streams past Log4j: java.util.logging (the AWS SDK inside
 * fluss-fs-s3 uses it), uncaught exceptions, plain prints.
 */
final class StandardStreams {
    private StandardStreams() {}

    /** Replaces both streams of this process by guarded ones. */
    static void guard(Redactor redactor) {
        System.setOut(guarded(FileDescriptor.out, redactor));
        System.setErr(guarded(FileDescriptor.err, redactor));
    }

    private static PrintStream guarded(FileDescriptor descriptor, Redactor redactor) {
        Lines lines = new Lines(new FileOutputStream(descriptor), redactor);
        Runtime.getRuntime().addShutdownHook(new Thread(lines::writeRest));
        return new PrintStream(lines, true, StandardCharsets.UTF_8);
    }

    /** Passes on whole lines only, since a secret may come in two writes. */
    private static final class Lines extends OutputStream {
        /** A line longer than this is passed on in parts. */
        private static final int LONGEST = 1 << 20;

        private final OutputStream target;
        private final Redactor redactor;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        Lines(OutputStream target, Redactor redactor) {
            this.target = target;
            this.redactor = redactor;
        }

        @Override
        public synchronized void write(int octet) throws IOException {
            line.write(octet);
            if (octet == '\n' || line.size() >= LONGEST) {
                writeLine();
            }
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
            for (int i = offset; i < offset + length; i++) {
                write(bytes[i]);
            }
        }

        synchronized void writeRest() {
            try {
                writeLine();
            } catch (IOException closed) {
                // The process ends and nobody reads any more.
            }
        }

        private void writeLine() throws IOException {
            target.write(redactor.redact(line.toString(StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8));
            line.reset();
        }
    }
}
