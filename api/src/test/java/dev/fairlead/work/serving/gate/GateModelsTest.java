package dev.fairlead.work.serving.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.key.KeyChanges;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.ServiceKeyText;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The model list of services with OpenAI-compatible servers. */
class GateModelsTest extends GateScene {
  private static final String TEXT = "flk_" + "a".repeat(43);
  private static final String KEY = "Authorization: Bearer " + TEXT + "\r\n";
  private static final String MODEL =
      "{\"id\":\"chat\",\"object\":\"model\",\"created\":1893456000,\"owned_by\":\"nlp\"}";

  @BeforeEach
  void aServiceWithAKey() {
    access = ModelService.Access.KEYS;
    modelSince = NOW;
    valid(null);
    sleeps();
  }

  private void valid(Integer requests) {
    ServiceKey key =
        new ServiceKey(
            new ServiceKey.Name(new ModelServiceId(new UUID(1, 1)), "app"),
            new TenantId(new UUID(1, 2)),
            ServiceKeyText.hash(TEXT),
            "ana",
            NOW,
            NOW.plus(Duration.ofHours(1)),
            null,
            requests,
            null,
            null);
    ring.read(new KeyChanges(1, true, List.of(key)));
  }

  private String gets(String path) {
    return answer(request("GET " + path, KEY, ""));
  }

  /** Fails when a client that lists the models wakes a service, or learns another name. */
  @Test
  void serviceNameIsItsOnlyModelEvenWhileItSleeps() {
    assertThat(gets("/v1/models"))
        .startsWith("HTTP/1.1 200")
        .contains("Content-Type: application/json")
        .endsWith("{\"object\":\"list\",\"data\":[" + MODEL + "]}");
    assertThat(gets("/v1/models/chat")).startsWith("HTTP/1.1 200").endsWith(MODEL);
    isReady();
    assertThat(gets("/v1/models?limit=1")).startsWith("HTTP/1.1 200").contains(MODEL);
    assertThat(room.hosts()).as("that a pass wakes").isEmpty();
    assertThat(calls).hasValue(0);
    assertThat(meter.next().hours()).as("no request reached a replica").isEmpty();
  }

  /** Fails when the text of a client is repeated in the answer. */
  @Test
  void anUnknownModelIsNotFound() {
    for (String model : List.of("gpt-4", "chat/x", "%22", "")) {
      assertThat(gets("/v1/models/" + model))
          .startsWith("HTTP/1.1 404")
          .contains("\"code\":\"model_not_found\"", "Its only model is chat.")
          .doesNotContain("gpt-4", "%22");
    }
  }

  @Test
  void modelListRequiresAKeyAndCountsForItsLimit() {
    assertThat(answer(request("GET /v1/models", "", ""))).startsWith("HTTP/1.1 401");
    valid(1);
    assertThat(gets("/v1/models")).startsWith("HTTP/1.1 200");
    assertThat(gets("/v1/models")).startsWith("HTTP/1.1 429");
  }

  /** Fails when the state of a model of TensorFlow Serving is hidden by a list. */
  @Test
  void otherRequestsAndOtherServersAreForwarded() {
    isReady();
    assertThat(answer(request("DELETE /v1/models/chat", KEY, ""))).startsWith("HTTP/1.1 201");
    assertThat(gets("/v1/modelsx")).startsWith("HTTP/1.1 201");
    modelSince = null;
    isReady();
    assertThat(gets("/v1/models/chat")).startsWith("HTTP/1.1 201");
    assertThat(calls).hasValue(3);
  }
}
