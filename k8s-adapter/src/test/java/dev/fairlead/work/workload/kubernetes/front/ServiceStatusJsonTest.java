package dev.fairlead.work.workload.kubernetes.front;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.ServiceStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writing and reading the status of a ModelService. */
class ServiceStatusJsonTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
  private static final ServiceStatus SERVING =
      new ServiceStatus(
          3,
          "d",
          3,
          new ServiceStatus.Serving(
              "chat.example.com",
              3,
              2,
              1,
              2,
              List.of(
                  new ServiceStatus.Version(1, 95, 2, 3), new ServiceStatus.Version(2, 5, 1, 1))),
          conditions("Reconciling"));
  private static final ServiceStatus REFUSED =
      new ServiceStatus(3, "d", 3, null, conditions("Stalled"));

  private static List<FrontCondition> conditions(String holds) {
    return List.of(
        condition("Ready", holds), condition("Reconciling", holds), condition("Stalled", holds));
  }

  private static FrontCondition condition(String type, String holds) {
    return FrontCondition.of(type, type.equals(holds), "Reason", "why", NOW);
  }

  /** The stored object after the patch. */
  private static ObjectNode stored(ServiceStatus status) {
    try {
      ObjectNode node = (ObjectNode) JSON.readTree(ServiceStatusJson.patch(status).toString());
      List<String> nulls =
          node.properties().stream()
              .filter(field -> field.getValue().isNull())
              .map(Map.Entry::getKey)
              .toList();
      node.remove(nulls);
      return node;
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Fails when Fairlead rewrites a status repeatedly, because it does not recognise its own. */
  @Test
  void statusRoundTrips() {
    assertThat(ServiceStatusJson.read(stored(SERVING), 3, "d")).isEqualTo(SERVING);
    assertThat(ServiceStatusJson.read(stored(REFUSED), 3, "d")).isEqualTo(REFUSED);
  }

  @Test
  void aNewSpecHasTheStatusOfTheEarlierGeneration() {
    ServiceStatus read = ServiceStatusJson.read(stored(SERVING), 4, "d");

    assertThat(read.generation()).isEqualTo(4);
    assertThat(read.observed()).isEqualTo(3);
    assertThat(read.serving()).isEqualTo(SERVING.serving());
  }

  @Test
  void thePhaseFollowsTheConditions() {
    ServiceStatus ready = new ServiceStatus(1, "d", 1, SERVING.serving(), conditions("Ready"));
    ServiceStatus waiting = new ServiceStatus(1, "d", 1, null, conditions("Reconciling"));

    assertThat(List.of(ready, SERVING, REFUSED, waiting))
        .extracting(status -> stored(status).path("phase").asText())
        .containsExactly("Ready", "Progressing", "Stalled", "Pending");
  }

  /** Fails when traffic of a deleted service stays in the status. */
  @Test
  void patchRemovesTheTrafficOfADeletedService() {
    ObjectNode patch = ServiceStatusJson.patch(REFUSED);

    assertThat(patch.path("traffic").isNull()).isTrue();
    assertThat(patch.path("url").isNull()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"phase\": \"Ready\"}",
        "{\"readyReplicas\": 9}",
        "{\"observedGeneration\": \"3\"}",
        "{\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}",
        "{\"conditions\": [{\"lastTransitionTime\": \"yesterday\"}]}",
        "{\"traffic\": [{\"version\": 1, \"weight\": \"all\"}]}"
      })
  void statusOfAnotherWriterIsIgnored(String changes) throws IOException {
    ObjectNode forged = stored(SERVING);
    JSON.readTree(changes).properties().forEach(f -> forged.set(f.getKey(), f.getValue()));

    assertThat(ServiceStatusJson.read(forged, 3, "d")).isNotEqualTo(SERVING);
  }

  @Test
  void objectWithoutAStatusIsReadAsUnread() {
    assertThat(ServiceStatusJson.read(MissingNode.getInstance(), 1, "d"))
        .isEqualTo(ServiceStatus.unread(1, "d"));
  }

  /** Fails when an API server drops a field, because the definition does not have it. */
  @Test
  void definitionHasEveryFieldOfTheStatus() throws IOException {
    JsonNode definition =
        Serialization.yamlMapper()
            .readTree(Files.readString(Path.of("../deploy/crds/modelservice.yaml")));
    JsonNode fields =
        definition.at("/spec/versions/0/schema/openAPIV3Schema/properties/status/properties");

    assertThat(names(fields)).containsAll(names(stored(SERVING)));
    assertThat(names(fields.at("/traffic/items/properties")))
        .isEqualTo(names(stored(SERVING).at("/traffic/0")));
    assertThat(names(fields.at("/conditions/items/properties")))
        .isEqualTo(names(stored(SERVING).at("/conditions/0")));
  }

  private static TreeSet<String> names(JsonNode of) {
    TreeSet<String> names = new TreeSet<>();
    of.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
