package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The decisions about many jobs in the export. */
class DecisionsIT {
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String[] HERE = {"Fairlead-Tenant", "exported"};
  private static final String[] ELSEWHERE = {"Fairlead-Tenant", "not-exported"};

  private static void made(String path, String body, String... headers) {
    Http.Answer answer = HTTP.yaml("/api/v1/" + path, body, headers);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
  }

  private static JsonNode page(String query, String... headers) {
    Http.Answer answer = HTTP.get("/api/v1/decisions?" + query, headers);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }

  private static List<String> names(String query) {
    List<String> names = new ArrayList<>();
    String token = "";
    do {
      JsonNode page = page(query + token, HERE);
      page.get("items").forEach(item -> names.add(item.get("name").asString()));
      String next = page.path("nextPageToken").asString("");
      token = next.isEmpty() ? "" : "&pageToken=" + URLEncoder.encode(next, StandardCharsets.UTF_8);
    } while (!token.isEmpty());
    return names;
  }

  /** Fails when a page omits or repeats a decision, or shows one of another project or tenant. */
  @Test
  void pagesContainEachDecisionOnce() {
    made(
        "clusters",
        "{name: exported, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: A30}]}");
    made("tenants", "{name: exported}");
    made("tenants", "{name: not-exported}");
    made("projects", "{name: nlp}", HERE);
    String spec =
        "{name: %s, image: x, gpu: 1, placement: {clusters: [exported]}, annotations:"
            + " {sim.fairlead.dev/run-for: 1h}}";
    for (String name : List.of("a", "b", "c")) {
      made(
          "projects/" + (name.equals("b") ? "nlp" : "default") + "/jobs",
          spec.formatted(name),
          HERE);
    }
    await().atMost(Duration.ofSeconds(90)).until(() -> page("", HERE).get("items").size() >= 3);

    List<String> all = names("since=1h");
    assertThat(all).contains("a", "b", "c");
    assertThat(names("since=1h&pageSize=1")).containsExactlyElementsOf(all);
    assertThat(names("since=1h&pageSize=1&project=nlp")).containsOnly("b");
    JsonNode one = page("project=nlp", HERE).at("/items/0");
    assertThat(one.get("project").asString()).isEqualTo("nlp");
    assertThat(one.at("/decision/kind").asString()).isEqualTo("PLACED");
    assertThat(page("since=1h", ELSEWHERE).get("items")).isEmpty();
    assertThat(names("until=1h")).isEmpty();
    assertThat(HTTP.get("/api/v1/decisions?project=none", HERE).status()).isEqualTo(404);
    assertThat(HTTP.get("/api/v1/decisions?since=yesterday", HERE).status()).isEqualTo(400);
  }
}
