package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Advance reservations for a project or for maintenance, over HTTP, on the real database. */
class AdvanceReservationsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String ADVANCE_RESERVATIONS = "/api/v1/advance-reservations";
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aCluster() {
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: hall, kind: SIMULATED, fleet: [{nodes: 3, gpusPerNode: 8, model: H100}]}");
    await()
        .atMost(PATIENCE)
        .until(() ->
            HTTP.get("/api/v1/nodes?cluster=hall&nodeState=ACTIVE").json().get("items").size()
                == 3);
  }

  @AfterEach
  void cancelled() {
    for (JsonNode advanceReservation : HTTP.get(ADVANCE_RESERVATIONS).json().get("items")) {
      HTTP.send(
          "DELETE", ADVANCE_RESERVATIONS + "/" + advanceReservation.get("id").asString(), null);
    }
  }

  /** By the clock of this machine, which the service also uses. */
  private static Instant in(int hours) {
    return Instant.now().plus(Duration.ofHours(hours)).truncatedTo(ChronoUnit.SECONDS);
  }

  private static String node(int index) {
    return HTTP.get("/api/v1/nodes?cluster=hall").json().at("/items/" + index + "/name").asString();
  }

  private static Http.Answer book(String fields, Object... values) {
    return HTTP.yaml(ADVANCE_RESERVATIONS, "{" + fields.formatted(values) + "}");
  }

  private static JsonNode booked(String fields, Object... values) {
    Http.Answer made = book(fields, values);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    return made.json();
  }

  private static String refused(int status, String code, String fields, Object... values) {
    Http.Answer answer = book(fields, values);
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body()).contains(code);
    return answer.json().path("detail").asString("");
  }

  @Test
  void reservedNodesAreListedAndReleasedAfterTheWindow() {
    JsonNode made =
        booked(
            "name: demo, purpose: PROJECT, project: default, start: '%s', duration: 4h, cluster:"
                + " hall, model: H100, count: 2, reason: for customers",
            in(2));

    assertThat(made.get("state").asString()).isEqualTo("UPCOMING");
    assertThat(made.get("leftoverPolicy").asString()).isEqualTo("FINISH");
    assertThat(made.get("nodesMissing").asInt()).isZero();
    assertThat(made.get("nodes")).hasSize(2);
    assertThat(HTTP.get(ADVANCE_RESERVATIONS + "/demo").json()).isEqualTo(made);
    assertThat(HTTP.get(ADVANCE_RESERVATIONS).json().at("/items/0")).isEqualTo(made);

    assertThat(HTTP.send("DELETE", ADVANCE_RESERVATIONS + "/demo?validateOnly=true", null).status())
        .isEqualTo(204);
    assertThat(HTTP.get(ADVANCE_RESERVATIONS + "/demo").status()).isEqualTo(200);
    assertThat(HTTP.send("DELETE", ADVANCE_RESERVATIONS + "/demo", null).status()).isEqualTo(204);
    assertThat(HTTP.get(ADVANCE_RESERVATIONS + "/demo").status()).isEqualTo(404);
    assertThat(HTTP.send("DELETE", ADVANCE_RESERVATIONS + "/demo", null).status()).isEqualTo(404);
  }

  /** Fails when the scheduler of the service does not read advance reservations. */
  @Test
  void jobThatWouldOverrunTheReservationWaitsAndExplainsIt() {
    booked(
        "name: works, purpose: MAINTENANCE, start: '%s', duration: 4h, cluster: hall, count: 3",
        in(2));
    String spec = "{name: %s, image: x, gpu: 1, maxRuntime: %s, placement: {clusters: [hall]}}";

    String longer = job(spec.formatted("booked-longer", "3h"));
    await().atMost(PATIENCE).until(() -> first(longer).at("/reason").asString("").equals("BOOKED"));
    assertThat(first(longer).get("message").asString()).contains("3 nodes", "maintenance");
    assertThat(HTTP.get("/api/v1/jobs/" + longer + "/explanation").body())
        .contains("\"maxRuntime\"");

    String brief = job(spec.formatted("booked-brief", "1h"));
    await().atMost(PATIENCE).until(() -> state(brief).equals("RUNNING"));
    HTTP.send("DELETE", ADVANCE_RESERVATIONS + "/works", null);
    await().atMost(PATIENCE).until(() -> state(longer).equals("RUNNING"));
    HTTP.json("/api/v1/jobs/" + longer + "/cancel", "");
    HTTP.json("/api/v1/jobs/" + brief + "/cancel", "");
  }

  private static String job(String spec) {
    Http.Answer made = HTTP.yaml("/api/v1/projects/default/jobs", spec);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    return made.json().get("id").asString();
  }

  private static String state(String job) {
    return HTTP.get("/api/v1/jobs/" + job).json().at("/state").asString("");
  }

  private static JsonNode first(String job) {
    return HTTP.get("/api/v1/jobs/" + job + "/explanation").json().at("/blockers/0");
  }

  @Test
  void implausibleTimesAreRejected() {
    String all = "name: a, purpose: MAINTENANCE, cluster: hall, count: 1, ";
    assertThat(refused(422, "/start", all + "start: '%s', duration: 1h", in(-1)))
        .contains("in the past");
    Instant then = in(2);
    assertThat(refused(422, "/end", all + "start: '%s', end: '%s'", then, then))
        .contains("after the start");
    assertThat(refused(422, "/end", all + "start: '%s', end: '%s'", in(3), in(2)))
        .contains("after the start");
    assertThat(refused(422, "/end", all + "start: '%s', end: '%s'", in(1), in(24 * 367)))
        .contains("more than 366 days");
    assertThat(refused(422, "/start", all + "start: '%s', duration: 1h", in(24 * 367)))
        .contains("more than 366 days away");
    refused(422, "/duration", all + "start: '%s', duration: 367d", in(1));
    refused(422, "give end or duration", all + "start: '%s'", in(1));
  }

  @Test
  void unknownNodesAreRejected() {
    String times = "duration: 1h, ";
    refused(422, "nowhere", times + "name: a, purpose: MAINTENANCE, cluster: nowhere, count: 1");
    refused(422, "/nodes/0", times + "name: a, purpose: MAINTENANCE, nodes: [nobody]");
    refused(
        422,
        "/project",
        times + "name: a, purpose: PROJECT, project: nobody, cluster: hall, count: 1");
    refused(
        422,
        "/tenant",
        times + "name: a, purpose: PROJECT, tenant: x, project: y, cluster: hall, count: 1");
    refused(
        422, "project is missing", times + "name: a, purpose: PROJECT, cluster: hall, count: 1");
    refused(
        422,
        "does not apply to MAINTENANCE",
        times + "name: a, purpose: MAINTENANCE, project: default, cluster: hall, count: 1");
    refused(
        422,
        "/leftoverPolicy",
        times
            + "name: a, purpose: MAINTENANCE, cluster: hall, count: 1, leftoverPolicy: EXTEND_UP_TO");
    refused(422, "/count", times + "name: a, purpose: MAINTENANCE, count: 1");
    refused(422, "name the nodes", times + "name: a, purpose: MAINTENANCE, cluster: hall");
    refused(422, "coun", times + "name: a, purpose: MAINTENANCE, cluster: hall, coun: 1");
  }

  /**
   * Fails when the response does not name the other advance reservation and its time, or the
   * numbers.
   */
  @Test
  void reservedOrOutOfServiceNodesAreRejected() {
    Instant start = in(2);
    booked(
        "name: first, purpose: MAINTENANCE, start: '%s', duration: 2h, nodes: [%s]",
        start, node(0));
    assertThat(
            refused(
                409,
                "IN_USE",
                "name: second, purpose: MAINTENANCE, start: '%s', duration: 2h, nodes: [%s, %s]",
                in(3),
                node(0),
                node(1)))
        .isEqualTo(
            "1 of 2 nodes are reserved at that time: %s by \"first\" from %s to %s. Choose another time or other nodes."
                .formatted(node(0), start, start.plus(Duration.ofHours(2))));
    assertThat(
            refused(
                409,
                "NAME_IN_USE",
                "name: first, purpose: MAINTENANCE, start: '%s', duration: 2h, nodes: [%s]",
                in(9),
                node(0)))
        .contains("first");
    booked(
        "name: next, purpose: MAINTENANCE, start: '%s', duration: 2h, nodes: [%s]",
        start.plus(Duration.ofHours(2)), node(0));

    HTTP.json("/api/v1/nodes/" + node(1) + "/cordon", "");
    assertThat(
            refused(
                409,
                "ILLEGAL_STATE",
                "name: third, purpose: MAINTENANCE, start: '%s', duration: 2h, nodes: [%s, %s]",
                in(2),
                node(1),
                node(2)))
        .contains("1 of 2 nodes are out of service: " + node(1) + " is CORDONED");
    assertThat(
            refused(
                409,
                "ILLEGAL_STATE",
                "name: third, purpose: MAINTENANCE, start: '%s', duration: 2h, cluster: hall,"
                    + " count: 2",
                in(3)))
        .contains("has 3, ", "1 are out of service", "1 are reserved", "1 remain");
    HTTP.json("/api/v1/nodes/" + node(1) + "/uncordon", "");
    await()
        .atMost(PATIENCE)
        .until(() ->
            HTTP.get("/api/v1/nodes/" + node(1))
                .json()
                .path("state")
                .asString("")
                .equals("ACTIVE"));
  }
}
