package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The projects that may use a queue, set by an administrator, and the effect on members. */
class QueueProjectsIT {
  private static final String TENANT = "queue-projects";
  private static final String[] IN = {"Fairlead-Tenant", TENANT};
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aQueueForOneOfTwoProjects() {
    made("/api/v1/tenants", "{name: " + TENANT + "}");
    made("/api/v1/projects", "{name: nlp}", IN);
    made("/api/v1/projects", "{name: vision}", IN);
    String queue = "{name: research, parent: root, queue: {projects: [nlp]}}";
    Http.Answer research = made("/api/v1/quotas", queue, IN);
    assertThat(research.json().at("/queue/projects/0").asString()).isEqualTo("nlp");
  }

  private static Http.Answer made(String path, String body, String... headers) {
    Http.Answer answer = HTTP.yaml(path, body, headers);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer;
  }

  private static Http.Answer patch(String path, String body) {
    return HTTP.send("PATCH", path, body, "Content-Type", Http.YAML, "If-Match", "*", IN[0], IN[1]);
  }

  private static void refused(Http.Answer answer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(422);
    assertThat(answer.body())
        .contains("Queue research", "project vision", "Queues: default.")
        .doesNotContain("nlp");
  }

  /**
   * Fails when a submit, a batch or a plan does not check whether the queue accepts the project.
   */
  @Test
  void projectNotListedByTheQueueCannotSubmitToIt() {
    String spec = "{name: %s, image: x, queue: research, placement: {clusters: [nowhere]}}";

    made("/api/v1/projects/nlp/jobs", spec.formatted("own"), IN);
    refused(HTTP.yaml("/api/v1/projects/vision/jobs", spec.formatted("others"), IN));
    refused(HTTP.yaml("/api/v1/jobs/plan?project=vision", spec.formatted("others"), IN));
    Http.Answer batch =
        HTTP.yaml(
            "/api/v1/projects/vision/jobs/batch",
            "{items: [" + spec.formatted("others") + "]}",
            IN);
    assertThat(batch.body()).contains("Queue research", "project vision");
    made("/api/v1/projects/vision/jobs", "{image: x, placement: {clusters: [nowhere]}}", IN);
  }

  /** Fails when a project can have a default queue that takes none of its jobs. */
  @Test
  void queueIsTheDefaultOfItsAcceptedProjects() {
    assertThat(patch("/api/v1/projects/nlp", "{defaultQueue: research}").status()).isEqualTo(200);
    Http.Answer vision = patch("/api/v1/projects/vision", "{defaultQueue: research}");
    assertThat(vision.status()).isEqualTo(422);
    assertThat(vision.body()).contains("project vision", "/defaultQueue");
    Http.Answer other = HTTP.yaml("/api/v1/projects", "{name: other, defaultQueue: research}", IN);
    assertThat(other.status()).isEqualTo(422);
  }

  /** Fails when an empty list, an invalid name, or an unknown project is accepted. */
  @Test
  void listWithoutAValidProjectIsRejected() {
    for (String projects : new String[] {"[]", "[Nlp]", "[guessed]", "nlp", "[nlp, null]"}) {
      Http.Answer answer =
          patch("/api/v1/queues/research", "{queue: {projects: " + projects + "}}");
      assertThat(answer.status()).as(projects + " " + answer.body()).isEqualTo(422);
      assertThat(answer.body()).contains("/queue/projects");
    }
  }

  /** Fails when a member of one project can read the names of other projects in the queue. */
  @Test
  void projectMemberReadsNoNamesOfOtherProjects() {
    Http.Answer token =
        HTTP.yaml(
            "/api/v1/tokens?project=vision", "{name: t, user: vic, role: project-viewer}", IN);
    String[] vic = {"Authorization", "Bearer " + token.json().get("token").asString()};

    Http.Answer queue = HTTP.get("/api/v1/queues/research", vic);
    assertThat(queue.status()).as(queue.body()).isEqualTo(200);
    assertThat(queue.json().at("/queue/projects").isEmpty()).isTrue();
    assertThat(queue.json().at("/queue/projects").isArray()).isTrue();
    assertThat(HTTP.get("/api/v1/queues", vic).body()).doesNotContain("nlp");
    assertThat(HTTP.get("/api/v1/quotas", vic).body()).doesNotContain("nlp");
  }

  /** Fails when null does not open the queue to all projects again. */
  @Test
  void aQueueIsOpenedAgain() {
    made("/api/v1/quotas", "{name: opened, parent: root, queue: {projects: [nlp]}}", IN);
    Http.Answer opened = patch("/api/v1/queues/opened", "{queue: {projects: null}}");

    assertThat(opened.json().at("/queue/projects").isNull()).isTrue();
    made(
        "/api/v1/projects/vision/jobs",
        "{name: later, image: x, queue: opened, placement: {clusters: [nowhere]}}",
        IN);
  }
}
