package dev.fairlead.care.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fails when the text of a driver's message is ignored or overinterpreted. */
class XidMessageTest {
  private static final Instant NOW = Instant.parse("2031-05-06T07:08:09Z");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "144|SAW_MVB Nonfatal XC0 i0 Link 09 (0x00000001 0x00000001 0x0 0x0 0x0 0x0)|NONE",
        "145|RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x040988e2 0x00000004 0x0 0x0 0x0)|RESTART_JOB",
        "145|pid=4, name=<unknown>, RLW_CTRL Non-fatal XC1 i0 Link 12|NONE",
        "145|RLW_RXPIPE Nonfatal XC1 i0 Link 02 (0x00000006 0x00000001 0x0)|NONE",
        "145|RLW_RXPIPE Nonfatal XC1 i0 Link 02 (0x00000086 0x00000001 0x0)|RESET_GPU",
        "145|RLW_RXPIPE Nonfatal XC1 i0 Link 02 (0x000004c2 0x00000001 0x0)|RESET_GPU",
        "146|TLW_RX_PIPE1 Nonfatal XC0 i0 Link 05 (0x0000000b 0x80000000 0x0)|NONE",
        "147|TREX Nonfatal XC0 i0 Link 03 (0x0000000e 0x00000001 0x0)|NONE",
        "148|NVLPW_CTRL Nonfatal XC0 i0 Link 03 (0x0000000f 0x80000000 0x0)|NONE",
        "149|NETIR_BER_EVENT Nonfatal XC0 i0 Link 01 (0x00082226 0x00000001 0x0)|NONE",
        "150|MSE_WATCHDOG Nonfatal XC0 i0 Link 02 (0x00000001 0x00000001 0x0)|NONE",
        "149|NETIR_BER_EVENT XC0 i0 Link 01 (0x00000013 0x00000001 0x0)|NONE"
      })
  void nonfatalNvLinkErrorIsolatesNothing(int code, String text, RepairStep step) {
    // Fails when only the number of the XID decides.
    Judgement judged = judge(code, "NVRM: Xid (PCI:0000:3b:00): " + code + ", " + text);
    assertThat(judged.verdict()).isEqualTo(Judgement.Verdict.HARMLESS);
    assertThat(judged.scope()).isEqualTo(FaultScope.NONE);
    assertThat(judged.step()).isEqualTo(step);
    assertThat(judged.cause()).startsWith("XID " + code + " (").endsWith(", nonfatal)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "149|NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6 0x00000000 0x0)",
        "145|RLW_REMAP Fatal XC0 i1 Link 00 (0x00000004 0x00000002 0x0)",
        "145|RLW_SRC_TRACK Nonfatal XC1 i0 Link 01; RLW_REMAP Fatal XC0 i1 Link 00",
        "145|RLW_SRC_TRACK XC1 i0 Link 12 (0x00000007 0x00000010 0x0)",
        "145|RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x00000007 0x00000010 0x0)",
        "147|an unknown text",
        "150|''"
      })
  void otherNvLinkErrorsAreJudgedByTheirRow(int code, String text) {
    // Fails when a line with Fatal, with fatal registers, or without a severity counts as harmless.
    assertThat(judge(code, text)).isEqualTo(judge(code, ""));
    assertThat(judge(code, text).scope()).isEqualTo(FaultScope.NODE);
  }

  @Test
  void nonfatalInAMessageAppliesToNvLinkOnly() {
    IntStream.rangeClosed(1, 162)
        .filter(code -> !XidMessage.nvlink5(code))
        .forEach(
            code -> assertThat(judge(code, "RLW Nonfatal (0x1 0x1)")).isEqualTo(judge(code, "")));
  }

  @ParameterizedTest
  @CsvSource({
    "0x1 (GPU Reset Required), FATAL, GPU, RESET_GPU",
    "0x4 (Drain and Reset), FATAL, GPU, RESET_GPU",
    "0x2 (Node Reboot Required), FATAL, NODE, REBOOT",
    "0x3 (Drain P2P), ATTACHED, NONE, NONE",
    "0x0 (None), ATTACHED, NONE, NONE",
  })
  void recoveryActionNamesTheResetForAnNvLinkError(
      String action, Judgement.Verdict verdict, FaultScope scope, RepairStep step) {
    // Fails when a requested reset of the driver is lost, or isolates without an earlier error.
    String message = "154, GPU recovery action changed from 0x0 (None) to " + action;
    Judgement after = judge(154, message, NOW.minus(Judgement.SILENCE));
    assertThat(after.verdict()).isEqualTo(verdict);
    assertThat(after.scope()).isEqualTo(scope);
    assertThat(after.step()).isEqualTo(step);
    for (Judgement alone :
        List.of(
            judge(154, message),
            judge(154, message, NOW.minus(Judgement.SILENCE).minusSeconds(1)),
            judge(154, message, NOW.plusSeconds(1)))) {
      assertThat(alone.verdict()).isEqualTo(Judgement.Verdict.ATTACHED);
      assertThat(alone.scope()).isEqualTo(FaultScope.NONE);
    }
  }

  @Test
  void aBurstHoldsEventsOfOneSeverity() {
    // Fails when a fatal event is stored within a burst of Nonfatal events.
    assertThat(HealthRecord.burst(event(145, "RLW_CTRL Nonfatal XC1")))
        .isNotEqualTo(HealthRecord.burst(event(145, "RLW_CTRL Fatal XC1")));
    assertThat(HealthRecord.burst(event(31, "a"))).isEqualTo(HealthRecord.burst(event(31, "b")));
  }

  private static HealthEvent event(int code, String message) {
    return new HealthEvent("e", NOW, "n", "GPU-1", null, code, message);
  }

  private static Judgement judge(int code, String message, Instant... before) {
    return Judgement.of(XidTable.SHIPPED, event(code, message), List.of(before));
  }
}
