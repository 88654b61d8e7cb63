import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Lists or runs JUnit 4 tests: the key, the place of the report and the orders come by standard input. */
final class Junit4 {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Report report = new Report(in.readLine(), in.readLine());
        String mode = in.readLine();
        String only = in.readLine();
        List<Class<?>> classes = new ArrayList<>();
        for (String name = in.readLine(); name != null; name = in.readLine()) {
            classes.add(Class.forName(name, false, Junit4.class.getClassLoader()));
        }
        Request request = Request.classes(classes.toArray(new Class<?>[0]));
        if (!only.isEmpty()) {
            request = request.filterWith(only(only));
        }
        if (mode.equals("list")) {
            list(request.getRunner().getDescription(), report);
        } else {
            JUnitCore core = new JUnitCore();
            core.addListener(new Listener(report));
            core.run(request);
        }
        report.end();
    }

    static String name(Description test) {
        String method = test.getMethodName();
        int bracket = method == null ? -1 : method.indexOf('[');
        return test.getClassName() + "#" + (bracket > 0 ? method.substring(0, bracket) : method);
    }

    private static void list(Description description, Report report) {
        if (description.isTest()) {
            report.write("test", name(description), "passed", null);
        }
        for (Description child : description.getChildren()) {
            list(child, report);
        }
    }

    private static Filter only(String wanted) {
        return new Filter() {
            @Override
            public boolean shouldRun(Description description) {
                if (description.isTest()) {
                    return name(description).equals(wanted);
                }
                return description.getChildren().stream().anyMatch(this::shouldRun);
            }

            @Override
            public String describe() {
                return wanted;
            }
        };
    }

    private static final class Listener extends RunListener {
        private final Report report;

        Listener(Report report) {
            this.report = report;
        }

        @Override
        public void testFinished(Description test) {
            report.write("result", name(test), "passed", null);
        }

        @Override
        public void testFailure(Failure failure) {
            every(failure.getDescription(), "failed", failure.getException());
        }

        @Override
        public void testAssumptionFailure(Failure failure) {
            every(failure.getDescription(), "skipped", failure.getException());
        }

        @Override
        public void testIgnored(Description test) {
            every(test, "skipped", null);
        }

        private void every(Description description, String outcome, Throwable thrown) {
            if (description.isTest()) {
                report.write("result", name(description), outcome, thrown);
            }
            for (Description child : description.getChildren()) {
                every(child, outcome, thrown);
            }
        }
    }
}
