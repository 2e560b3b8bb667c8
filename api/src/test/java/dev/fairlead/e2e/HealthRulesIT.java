package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The table of faults by REST. */
class HealthRulesIT {
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String RULES = "/api/v1/health-rules";
  private static final String RULE = RULES + "/68";

  private static Http.Answer patch(String path, String body, String... headers) {
    String[] all = new String[headers.length + 2];
    all[0] = "Content-Type";
    all[1] = Http.YAML;
    System.arraycopy(headers, 0, all, 2, headers.length);
    return HTTP.send("PATCH", path, body, all);
  }

  @AfterAll
  static void backToWhatIsShipped() {
    Http.Answer _ = patch(RULE, "{quarantine: null, step: null, name: null}");
  }

  /** Fails when a rule is not read back unchanged, has no history, or cannot be reverted. */
  @Test
  void ruleRowIsSetReadAndReset() {
    JsonNode shipped = HTTP.get(RULE).json();
    String tag = HTTP.get(RULE).header("ETag");

    JsonNode set =
        patch(RULE, "{quarantine: GPU_ON_REPEAT, step: RESET_GPU}", "If-Match", tag).json();

    assertThat(set.get("changed").values())
        .extracting(JsonNode::asString)
        .containsExactly("quarantine", "step");
    assertThat(set.get("name")).isEqualTo(shipped.get("name"));
    assertThat(patch(RULE, "{step: REBOOT}", "If-Match", tag).status()).isEqualTo(412);
    JsonNode table = HTTP.get(RULES).json();
    assertThat(table.get("items").values()).contains(set).hasSize(286);
    assertThat(table.get("version").asString()).startsWith("2.");

    String history = "/api/v1/config/history?kind=HEALTH_RULE&name=68&pageSize=1";
    JsonNode change = HTTP.get(history).json().at("/items/0");
    assertThat(change.get("action").asString()).isEqualTo("updateHealthRule");
    String revert = "/api/v1/config/history/" + change.get("version").asLong() + "/revert";
    assertThat(HTTP.send("POST", revert, null).status()).isEqualTo(200);
    assertThat(HTTP.get(RULE).json().get("changed").isEmpty()).isTrue();
  }

  /** Fails when a DCGM row is not found by its name, or its change has no history. */
  @Test
  void dcgmRuleIsSetByName() {
    String rule = RULES + "/DCGM_FR_PCIE_WIDTH";
    JsonNode set = patch(rule, "{advice: seen with the risers of 2031}").json();

    assertThat(set.get("code").asString()).isEqualTo("DCGM_FR_PCIE_WIDTH");
    assertThat(set.get("xid").asInt()).isZero();
    assertThat(HTTP.get(rule).json()).isEqualTo(set);
    String history = "/api/v1/config/history?kind=HEALTH_RULE&name=DCGM_FR_PCIE_WIDTH&pageSize=1";
    assertThat(HTTP.get(history).json().at("/items/0/action").asString())
        .isEqualTo("updateHealthRule");
    assertThat(patch(rule, "{advice: null}").json().get("changed").isEmpty()).isTrue();
    assertThat(HTTP.get(RULES + "/DCGM_FR_OK").status()).isEqualTo(404);
    assertThat(
            HTTP.yaml(RULES + "/replay", "{code: DCGM_FR_OK, quarantine: NODE}")
                .json()
                .at("/errors/0/pointer")
                .asString())
        .isEqualTo("/code");
  }

  /** Fails when a part of an invalid row is stored, or its refusal does not name the position. */
  @Test
  void invalidRowIsRejectedWithItsPointer() {
    String before = HTTP.get(RULES + "/43").body();
    for (String wrong :
        new String[] {"{quarantine: RACK}", "{step: KICK}", "{severity: BAD}", "{scope: NODE}"}) {
      Http.Answer refused = patch(RULE, wrong);
      assertThat(refused.status()).as(wrong).isEqualTo(422);
      assertThat(refused.json().at("/errors/0/pointer").asString())
          .isEqualTo("/" + wrong.substring(1, wrong.indexOf(':')));
    }
    Http.Answer follows = patch(RULES + "/43", "{quarantine: NODE}");
    assertThat(follows.status()).isEqualTo(422);
    assertThat(follows.json().at("/errors/0/pointer").asString()).isEqualTo("/quarantine");
    assertThat(HTTP.get(RULES + "/43").body()).isEqualTo(before);
    assertThat(HTTP.get(RULES + "/999").status()).isEqualTo(404);
    assertThat(patch(RULES + "/999", "{step: REBOOT}").status()).isEqualTo(404);
    assertThat(
            HTTP.yaml(RULES + "/replay", "{xid: 999, quarantine: NODE}")
                .json()
                .at("/errors/0/pointer")
                .asString())
        .isEqualTo("/xid");
  }
}
