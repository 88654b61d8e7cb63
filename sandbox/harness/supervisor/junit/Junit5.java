import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Lists or runs tests of the JUnit platform; the same orders as Junit4. */
final class Junit5 {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Report report = new Report(in.readLine(), in.readLine());
        String mode = in.readLine();
        String only = in.readLine();
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (String name = in.readLine(); name != null; name = in.readLine()) {
            if (only.isEmpty()) {
                selectors.add(DiscoverySelectors.selectClass(name));
            }
        }
        Launcher launcher = LauncherFactory.create();
        if (!only.isEmpty()) {
            int hash = only.indexOf('#');
            String type = only.substring(0, hash);
            Listener all = new Listener(null);
            TestPlan plan = launcher.discover(request(List.of(DiscoverySelectors.selectClass(type))));
            all.testPlanExecutionStarted(plan);
            for (TestIdentifier one : all.tests()) {
                if (name(one).filter(only::equals).isPresent()) {
                    selectors.add(DiscoverySelectors.selectUniqueId(one.getUniqueId()));
                }
            }
        }
        LauncherDiscoveryRequest request = request(selectors);
        Listener listener = new Listener(report);
        if (mode.equals("list")) {
            listener.testPlanExecutionStarted(launcher.discover(request));
            for (TestIdentifier one : listener.tests()) {
                report.write("test", name(one).get(), "passed", null);
            }
        } else {
            launcher.execute(request, listener);
        }
        report.end();
    }

    private static LauncherDiscoveryRequest request(List<DiscoverySelector> selectors) {
        return LauncherDiscoveryRequestBuilder.request().selectors(selectors).build();
    }

    /** A method's name, for tests, for templates of tests, and for what a template makes. */
    static Optional<String> name(TestIdentifier one) {
        return one.getSource()
            .filter(MethodSource.class::isInstance)
            .map(MethodSource.class::cast)
            .map(source -> source.getClassName() + "#" + source.getMethodName());
    }

    private static final class Listener implements TestExecutionListener {
        private final Report report;
        private TestPlan plan;

        Listener(Report report) {
            this.report = report;
        }

        @Override
        public void testPlanExecutionStarted(TestPlan plan) {
            this.plan = plan;
        }

        @Override
        public void executionSkipped(TestIdentifier one, String reason) {
            every(one, "skipped", null);
        }

        @Override
        public void executionFinished(TestIdentifier one, TestExecutionResult result) {
            Throwable thrown = result.getThrowable().orElse(null);
            if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
                every(one, "skipped", thrown);
            } else if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                every(one, "failed", thrown);
            } else {
                name(one).ifPresent(name -> report.write("result", name, "passed", null));
            }
        }

        private void every(TestIdentifier one, String outcome, Throwable thrown) {
            name(one).ifPresent(name -> report.write("result", name, outcome, thrown));
            for (TestIdentifier below : plan.getDescendants(one)) {
                name(below).ifPresent(name -> report.write("result", name, outcome, thrown));
            }
        }

        List<TestIdentifier> tests() {
            List<TestIdentifier> found = new ArrayList<>();
            for (TestIdentifier root : plan.getRoots()) {
                for (TestIdentifier below : plan.getDescendants(root)) {
                    if (name(below).isPresent()) {
                        found.add(below);
                    }
                }
            }
            return found;
        }
    }
}
