package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Volumes of a project over HTTP. */
class VolumesIT {
  private static final String VOLUMES = "/api/v1/projects/default/volumes";
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void start() {
    fairlead = RunningFairlead.start();
    http = fairlead.http();
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private static Http.Answer put(String name, String body) {
    return http.send("PUT", VOLUMES + "/" + name, body, "Content-Type", Http.YAML);
  }

  @Test
  void aVolumeIsMadeReplacedAndDeleted() {
    Http.Answer made = put("training", "{size: 1024Mi, storageClass: fast}");
    assertThat(made.status()).as(made.body()).isEqualTo(200);
    assertThat(made.json().at("/size").asString()).isEqualTo("1Gi");
    assertThat(made.json().at("/access").asString()).isEqualTo("READ_WRITE_ONCE");

    Http.Answer replaced = put("training", "{size: 2Gi, access: READ_WRITE_MANY}");
    assertThat(replaced.json().at("/storageClass").isNull()).as(replaced.body()).isTrue();
    assertThat(replaced.json().at("/version").asInt()).isEqualTo(2);
    assertThat(http.get(VOLUMES).body()).contains("\"training\"", "READ_WRITE_MANY");
    String stale = http.get(VOLUMES + "/training").header("ETag").replace('2', '1');
    assertThat(http.send("DELETE", VOLUMES + "/training", null, "If-Match", stale).status())
        .isEqualTo(412);

    assertThat(http.send("DELETE", VOLUMES + "/training", null).status()).isEqualTo(204);
    assertThat(http.get(VOLUMES + "/training").status()).isEqualTo(404);
  }

  @Test
  void whatCannotBeAskedForIsRefusedAtItsField() {
    refused("{}", "/size", "such as 100Gi");
    refused("{size: 100}", "/size", "must be storage from 4Mi to 1Pi");
    refused("{size: 1Gi, storageClass: No_Class}", "/storageClass", "No_Class");
    refused("{size: 1Gi, access: READ_ONLY_MANY}", "/access", "READ_WRITE_MANY");
    refused("{size: 1Gi, cluster: eu-1}", "/cluster", "UNKNOWN_FIELD");
    assertThat(put("No_Label", "{size: 1Gi}").status()).isEqualTo(400);
    assertThat(http.get(VOLUMES).body()).doesNotContain("refused");
  }

  private static void refused(String body, String pointer, String why) {
    Http.Answer answer = put("refused", body);
    assertThat(answer.status()).as(body).isEqualTo(422);
    assertThat(answer.body()).contains(pointer, why);
  }

  /** Fails when a check writes. */
  @Test
  void aCheckWritesNothing() {
    String path = VOLUMES + "/checked?validateOnly=true";
    assertThat(http.send("PUT", path, "{size: 1Gi}", "Content-Type", Http.YAML).status())
        .isEqualTo(200);
    assertThat(http.get(VOLUMES + "/checked").status()).isEqualTo(404);
  }
}
