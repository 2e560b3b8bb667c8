package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Paging and filters over 120 jobs of a separate project. */
class ListsIT {
  private static final int JOBS = 120;
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String LIST = "/api/v1/jobs?project=lists";

  @BeforeAll
  static void manyJobs() {
    HTTP.json("/api/v1/projects", "{\"name\":\"lists\"}");
    List<String> items = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      String team = i % 2 == 0 ? "even" : "odd";
      items.add(
          "{\"name\":\"list-%d\",\"image\":\"x\",\"labels\":{\"team\":\"%s\"},\"placement\":{\"clusters\":[\"nowhere\"]}}"
              .formatted(i, team));
    }
    Http.Answer answer =
        HTTP.json(
            "/api/v1/projects/lists/jobs/batch",
            "{\"atomic\":true,\"items\":[" + String.join(",", items) + "]}");
    assertThat(answer.json().get("items"))
        .allSatisfy(item -> assertThat(item.get("status").asInt()).isEqualTo(201));
  }

  private static List<String> names(JsonNode page) {
    List<String> names = new ArrayList<>();
    page.get("items").forEach(job -> names.add(job.get("name").asString()));
    return names;
  }

  @Test
  void pagesContainEveryJobOnce() {
    Http.Answer first = HTTP.get(LIST);
    Http.Answer second = HTTP.get(next(first));
    Http.Answer third = HTTP.get(next(second));

    assertThat(names(first.json())).hasSize(50);
    assertThat(names(second.json())).hasSize(50);
    assertThat(names(third.json())).hasSize(20);
    assertThat(third.json().get("nextPageToken").isNull()).isTrue();
    assertThat(third.header("Link")).isEmpty();
    TreeSet<String> all = new TreeSet<>(names(first.json()));
    all.addAll(names(second.json()));
    all.addAll(names(third.json()));
    assertThat(all).hasSize(JOBS);
  }

  private static String next(Http.Answer page) {
    assertThat(page.header("Link")).matches("</api/v1/jobs\\?.*>; rel=\"next\"");
    return page.header("Link").replaceAll("^<|>.*$", "");
  }

  @Test
  void pageTokenIsBoundToItsFilter() {
    String token = HTTP.get(LIST + "&pageSize=10").json().get("nextPageToken").asString();

    assertThat(HTTP.get(LIST + "&pageSize=20&pageToken=" + token).json().get("items")).hasSize(20);
    assertThat(HTTP.get(LIST + "&state=QUEUED&pageToken=" + token).code())
        .isEqualTo("INVALID_PAGE_TOKEN");
    assertThat(HTTP.get("/api/v1/jobs?pageToken=" + token).code()).isEqualTo("INVALID_PAGE_TOKEN");
    assertThat(HTTP.get("/api/v1/nodes?pageToken=" + token).code()).isEqualTo("INVALID_PAGE_TOKEN");
    assertThat(HTTP.get(LIST + "&pageToken=" + token.substring(1)).code())
        .isEqualTo("INVALID_PAGE_TOKEN");
  }

  @Test
  void differentFiltersAreCombinedByAndAndRepeatedFiltersByOr() {
    assertThat(names(HTTP.get(LIST + "&pageSize=500&label=team%3Dodd").json())).hasSize(JOBS / 2);
    assertThat(names(HTTP.get(LIST + "&name=list-7&label=team%3Dodd").json()))
        .containsExactly("list-7");
    assertThat(names(HTTP.get(LIST + "&name=list-7&label=team%3Deven").json())).isEmpty();
    assertThat(names(HTTP.get(LIST + "&pageSize=500&state=QUEUED&state=RUNNING").json()))
        .hasSize(JOBS);
    assertThat(names(HTTP.get(LIST + "&state=RUNNING").json())).isEmpty();
    assertThat(
            names(HTTP.get(LIST + "&queue=default&user=local&createdAfter=1h&pageSize=1").json()))
        .hasSize(1);
    assertThat(names(HTTP.get(LIST + "&user=somebody").json())).isEmpty();
    assertThat(names(HTTP.get(LIST + "&createdAfter=2999-01-01T00:00:00Z").json())).isEmpty();
    assertThat(names(HTTP.get(LIST + "&createdBefore=1h").json())).isEmpty();
    assertThat(names(HTTP.get(LIST + "&createdAfter=1h&createdBefore=2999-01-01T00:00:00Z").json()))
        .isNotEmpty();
    assertThat(names(HTTP.get("/api/v1/projects/lists/jobs?name=list-7").json()))
        .containsExactly("list-7");
  }

  /** Fails when a search needs the whole name, or matches text that no name contains. */
  @Test
  void jobsAreFoundByAPartOfTheirName() {
    assertThat(names(HTTP.get(LIST + "&nameContains=st-11&orderBy=name").json()))
        .containsExactly(
            "list-11",
            "list-110",
            "list-111",
            "list-112",
            "list-113",
            "list-114",
            "list-115",
            "list-116",
            "list-117",
            "list-118",
            "list-119");
    assertThat(names(HTTP.get("/api/v1/projects/lists/jobs?nameContains=t-119").json()))
        .containsExactly("list-119");
    assertThat(HTTP.get(LIST + "&nameContains=%25").code()).isEqualTo("INVALID_PARAMETER");
    assertThat(HTTP.get(LIST + "&nameContains=a&name=a").code()).isEqualTo("INVALID_PARAMETER");
  }

  /** Fails when a name leads to an older job, or an unknown one to no explanation. */
  @Test
  void nameResolvesToTheNewestJobOfItsProject() {
    String path = "/api/v1/projects/lists/jobs/twice";
    String spec = "{name: twice, image: x, placement: {clusters: [nowhere]}}";
    String first = submitted(spec);
    assertThat(HTTP.get(path).json().get("id").asString()).isEqualTo(first);
    HTTP.send("POST", "/api/v1/jobs/" + first + "/cancel", null);
    String second = submitted(spec);

    assertThat(HTTP.get(path).json().get("id").asString()).isEqualTo(second);
    Http.Answer unknown = HTTP.get("/api/v1/projects/lists/jobs/never");
    assertThat(unknown.code()).isEqualTo("NOT_FOUND");
    assertThat(unknown.json().get("detail").asString()).contains("Project \"lists\"", "\"never\"");
    HTTP.send("POST", "/api/v1/jobs/" + second + "/cancel", null);
    assertThat(HTTP.get(path).json().get("id").asString()).isEqualTo(second);
    HTTP.send("DELETE", "/api/v1/jobs/" + first, null);
    HTTP.send("DELETE", "/api/v1/jobs/" + second, null);
  }

  private static String submitted(String spec) {
    return HTTP.yaml("/api/v1/projects/lists/jobs", spec).json().get("id").asString();
  }

  @Test
  void basicViewOmitsSpecs() {
    assertThat(HTTP.get(LIST + "&pageSize=1&view=BASIC").json().at("/items/0/spec").isNull())
        .isTrue();
    assertThat(HTTP.get(LIST + "&pageSize=1").json().at("/items/0/spec/image").asString())
        .isEqualTo("x");
  }

  @Test
  void eventsOfAJobArePagedToo() {
    String id = HTTP.get(LIST + "&name=list-3").json().at("/items/0/id").asString();

    // an event is delivered when no older transaction is open
    JsonNode events =
        await()
            .atMost(Duration.ofSeconds(30))
            .until(
                () -> HTTP.get("/api/v1/jobs/" + id + "/events").json().get("items"),
                items -> !items.isEmpty());

    assertThat(events.get(0).get("type").asString()).isEqualTo("JobSubmitted");
    assertThat(events.get(0).at("/subject/id").asString()).isEqualTo(id);
    assertThat(events.get(0).get("id").asString()).startsWith("evt_");
    assertThat(events.get(0).get("job").toString())
        .isEqualTo("{\"name\":\"list-3\",\"project\":\"lists\",\"user\":\"local\",\"place\":null}");
  }
}
