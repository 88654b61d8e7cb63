import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/** Writes what the tests did, one keyed line each, where the supervisor said; the last line is the end. */
final class Report {
    private static final int MESSAGE_CHARS = 4000;
    private final String key;
    private final OutputStream out;
    private boolean hasFailures;

    Report(String key, String place) throws IOException {
        this.key = key;
        this.out = Files.newOutputStream(Path.of(place));
    }

    synchronized void write(String kind, String name, String outcome, Throwable thrown) {
        hasFailures |= outcome.equals("failed");
        String line = key + " " + kind + " " + encoded(name) + " " + outcome + " " + encoded(said(thrown)) + "\n";
        try {
            out.write(line.getBytes(StandardCharsets.US_ASCII));
            out.flush();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Writes the end and ends the program: 1 when a test failed. Threads of tests hold nothing up. */
    void end() {
        write("end", "", "passed", null);
        Runtime.getRuntime().halt(hasFailures ? 1 : 0);
    }

    private static String said(Throwable thrown) {
        if (thrown == null) {
            return "";
        }
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        String all = text.toString();
        return all.length() > MESSAGE_CHARS ? all.substring(0, MESSAGE_CHARS) : all;
    }

    private static String encoded(String text) {
        return "=" + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
