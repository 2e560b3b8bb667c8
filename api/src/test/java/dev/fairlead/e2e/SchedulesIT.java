package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Schedules over HTTP, on the real database. */
class SchedulesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(150);
  private static final String SCHEDULES = "/api/v1/projects/default/schedules/";
  private static final Http HTTP = RunningFairlead.shared().http();

  private static Http.Answer put(String name, String body) {
    return HTTP.send("PUT", SCHEDULES + name, body, "Content-Type", Http.YAML);
  }

  private static JsonNode runs(String name) {
    return HTTP.get(SCHEDULES + name + "/runs").json().get("items");
  }

  /** Fails when the job is not submitted, or not with the template as it is at that time. */
  @Test
  void dueScheduleSubmitsTheJobOfItsTemplate() {
    String template =
        "{parameters: [{name: tag, type: STRING}], job: {image: 'x:${parameters.tag}'}}";
    assertThat(HTTP.send("PUT", "/api/v1/templates/timed", template, "Content-Type", Http.YAML))
        .matches(made -> made.status() == 200, "stored");
    Http.Answer made =
        put(
            "minutely",
            "{cron: '* * * * *', job: {template: {name: timed, parameters: {tag: one}}}}");
    assertThat(made.status()).as(made.body()).isEqualTo(200);
    assertThat(made.json().get("upcoming")).hasSize(10);
    await().atMost(PATIENCE).until(() -> !runs("minutely").isEmpty());
    JsonNode run = runs("minutely").get(0);
    assertThat(run.get("outcome").asString()).as(run.toString()).isEqualTo("SUBMITTED");
    JsonNode job = HTTP.get("/api/v1/jobs/" + run.get("job").asString()).json();
    assertThat(job.at("/spec/image").asString()).isEqualTo("x:one");
    assertThat(job.at("/labels/fairlead.dev~1schedule").asString()).isEqualTo("minutely");
    assertThat(job.at("/labels/fairlead.dev~1template").asString()).isEqualTo("timed");
    assertThat(HTTP.send("DELETE", SCHEDULES + "minutely", null).status()).isEqualTo(204);
  }

  @Test
  void everyProblemOfAScheduleAndItsJobIsReported() {
    Http.Answer refused =
        put(
            "bad",
            "{cron: 0 0 0 * * *, timeZone: Mars/Base, jitter: 13h, job: {imag: x, name: y}}");
    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.body())
        .contains("/cron", "five fields", "/timeZone", "/jitter", "/job/imag", "/job/name");
    assertThat(put("bad", "{job: {image: x}}").body()).contains("/cron");
    assertThat(put("Bad_Name", "{cron: 0 0 * * *, job: {image: x}}").status()).isEqualTo(400);
    String missing = "{cron: 0 0 * * *, job: {template: {name: nowhere}}}";
    assertThat(put("bad", missing).status()).isEqualTo(404);
  }

  /** Fails when the dependency of a template is lost, so that its runs start too early. */
  @Test
  void templateWithADependencyIsRejected() {
    String template = "{job: {image: x, dependsOn: [prepare]}}";
    assertThat(HTTP.send("PUT", "/api/v1/templates/waiting", template, "Content-Type", Http.YAML))
        .matches(made -> made.status() == 200, "stored");
    Http.Answer refused = put("waits", "{cron: 0 0 * * *, job: {template: {name: waiting}}}");
    assertThat(refused.status()).as(refused.body()).isEqualTo(422);
    assertThat(refused.body()).contains("\"/job/template\"", "must have no dependsOn");
  }

  /** Fails when the refusal of the job names a field of the schedule. */
  @Test
  void unknownQueueIsReportedAtAPointerIntoTheJob() {
    Http.Answer refused = put("lost", "{cron: 0 0 * * *, job: {image: x, queue: nowhere}}");
    assertThat(refused.status()).as(refused.body()).isEqualTo(422);
    assertThat(refused.body()).contains("\"/job/queue\"");
  }

  @Test
  void previewShowsTheEffectOfDaylightSavingTime() {
    String body =
        "{cron: 30 2 * * *, timeZone: Europe/Berlin, repeatedTime: TWICE, job: {image: x}}";
    assertThat(put("berlin", body).status()).isEqualTo(200);
    JsonNode items =
        HTTP.get(SCHEDULES + "berlin/preview?begin=2030-10-26T12:00:00Z").json().get("items");
    assertThat(items.get(0).get("localTime").asString()).isEqualTo("2030-10-27T02:30:00+02:00");
    assertThat(items.get(1).get("localTime").asString()).isEqualTo("2030-10-27T02:30:00+01:00");
    assertThat(
            HTTP.send("POST", SCHEDULES + "berlin/suspend", null)
                .json()
                .get("suspended")
                .asBoolean())
        .isTrue();
    assertThat(HTTP.send("DELETE", SCHEDULES + "berlin", null).status()).isEqualTo(204);
  }
}
