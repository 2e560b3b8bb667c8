package dev.fairlead.work.workload.kubernetes;

import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives tests a real Kubernetes control plane with simulated nodes: {@link OnControlPlane}, then
 * {@link #shared}. One is started per JVM at its first use and ends with the JVM; {@code
 * FAIRLEAD_TEST_KUBECONFIGS} (a comma list of files) names running ones instead. If neither is
 * available, tests are skipped with the reason, and fail with {@code CI=true}. The nodes and
 * schedulers of a class end with it.
 */
public final class KubernetesCluster implements ExecutionCondition, AfterAllCallback {
  private static final TestClusters CLUSTERS = new TestClusters();

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    String missing = CLUSTERS.missing();
    if (missing == null) {
      return ConditionEvaluationResult.enabled("a Kubernetes control plane can be had");
    }
    if ("true".equals(System.getenv("CI"))) {
      throw new IllegalStateException("no Kubernetes control plane for this test: " + missing);
    }
    return ConditionEvaluationResult.disabled("no Kubernetes control plane: " + missing);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    CLUSTERS.endClass();
  }

  /** The first cluster of this JVM. */
  public static TestCluster shared() {
    return CLUSTERS.get(0);
  }

  /** The given number of first clusters of this JVM. */
  public static List<TestCluster> several(int count) {
    return java.util.stream.IntStream.range(0, count).mapToObj(CLUSTERS::get).toList();
  }
}
