package dev.fairlead.work.workload.kubernetes.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontRequest;
import dev.fairlead.work.workload.kubernetes.FakeApiServer;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Listable;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Specs of malicious users. The definition has no schema of the spec. */
class WorkloadFormTest {
  /** As deep as an API server takes it. */
  private static final String DEEP = "{\"a\":".repeat(9_990) + "1" + "}".repeat(9_990);

  private static final String LONG_NAME = "{\"%s\":1}".formatted("n".repeat(60_000));
  private static final String LARGE = "{\"run\":\"%s\"}".formatted("r".repeat(300_000));
  private static final String GOOD = "{\"image\":\"a\",\"gpu\":0.5}";

  /** Fails when one such Workload fails the whole list, so that no Job of the front is read. */
  @Test
  void specWithoutBoundsIsRejectedAndHidesNoOtherError() throws Exception {
    assertThat(requests(List.of(DEEP, LONG_NAME, LARGE, GOOD)))
        .containsExactly(
            new FrontRequest.Inexpressible("/spec", "its objects and lists are nested too deeply"),
            new FrontRequest.Document(LONG_NAME),
            new FrontRequest.Inexpressible(
                "/spec",
                "it has 300010 characters as JSON, more than 262144. Shorten it, or move files into an image or a volume"),
            new FrontRequest.Document(GOOD));
  }

  private static List<FrontRequest> requests(List<String> specs) throws Exception {
    String items =
        specs.stream()
            .map(spec ->
                "{\"apiVersion\":\"fairlead.dev/v1alpha1\",\"kind\":\"Workload\",\"metadata\":{\"name\":\"w\"},\"spec\":%s}"
                    .formatted(spec))
            .collect(Collectors.joining(","));
    String list =
        "{\"apiVersion\":\"fairlead.dev/v1alpha1\",\"kind\":\"WorkloadList\",\"items\":[%s]}"
            .formatted(items);
    ClusterGates gates =
        new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, new SimpleMeterRegistry());
    try (ClusterCalls calls = gates.open("one");
        FakeApiServer server =
            new FakeApiServer((exchange, n) -> FakeApiServer.send(exchange, 200, list));
        KubernetesClient client = server.client(FakeApiServer.PATIENCE)) {
      WorkloadForm form = new WorkloadForm("here", calls);
      Object listed = ((Listable<?>) form.all(client)).list();
      return ((GenericKubernetesResourceList) listed)
          .getItems().stream().map(form::request).toList();
    }
  }
}
