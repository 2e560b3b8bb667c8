package dev.fairlead.care.health;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Fails when a driver code isolates too much or nothing. */
class JudgementTest {
  private static final Instant NOW = Instant.parse("2031-05-06T07:08:09Z");

  @Test
  void theTableJudgesAll162XidCodes() throws IOException {
    // Fails when a change of the table or of the rule changes the judgement of any code. The file
    // is the reference.
    String found =
        String.join("\n", IntStream.rangeClosed(1, 162).mapToObj(JudgementTest::line).toList())
            + "\n";
    try (InputStream file = getClass().getResourceAsStream("/xid-judgements.txt")) {
      assertThat(found).isEqualTo(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    }
    assertThat(XidTable.SHIPPED.version()).isPositive();
  }

  @Test
  void everyDcgmCodeIsJudgedByTheTable() throws IOException {
    // Fails when a change of the table or of the rule changes the judgement of any code. The file
    // is the reference.
    List<Integer> dcgm =
        XidTable.SHIPPED.all().stream().map(Xid::code).filter(c -> c >= XidTable.DCGM).toList();
    assertThat(XidTable.SHIPPED.all()).hasSize(162 + dcgm.size());
    assertThat(dcgm)
        .as("stands for those that the table lacks")
        .doesNotContain(XidTable.OTHER_DCGM);
    assertThat(dcgm)
        .allMatch(code -> XidTable.number(XidTable.symbol(code)).orElseThrow().equals(code));
    String found = String.join("\n", dcgm.stream().map(JudgementTest::line).toList()) + "\n";
    try (InputStream file = getClass().getResourceAsStream("/dcgm-judgements.txt")) {
      assertThat(found).isEqualTo(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @Test
  void dcgmCodeIsReportedByName() {
    int failure = XidTable.number("DCGM_FR_ROW_REMAP_FAILURE").orElseThrow();
    assertThat(judge(failure).cause())
        .satisfies(reason("judgement.remapping-row-failed", "DCGM_FR_ROW_REMAP_FAILURE"));
    assertThat(judge(XidTable.OTHER_DCGM))
        .isEqualTo(
            new Judgement(
                Judgement.Verdict.UNKNOWN,
                FaultScope.NONE,
                RepairStep.NONE,
                "a DCGM code, which is not in the fault table"));
    assertThat(XidTable.number("79")).contains(79);
    assertThat(XidTable.number("DCGM_FI_DEV_ROW_REMAP_FAILED"))
        .as("its name from DCGM 4.6 on")
        .isEqualTo(XidTable.number("DCGM_FI_DEV_ROW_REMAP_FAILURE"));
    assertThat(XidTable.symbol(XidTable.number("DCGM_FR_CLOCK_THROTTLE_THERMAL").orElseThrow()))
        .isEqualTo("DCGM_FR_CLOCKS_EVENT_THERMAL");
    assertThat(XidTable.number("DCGM_FR_OK")).isEmpty();
  }

  private static String line(int code) {
    Judgement once = judge(code);
    Judgement twice = judge(code, NOW.minusSeconds(3600));
    return "%s %s %s %s, again %s"
        .formatted(XidTable.symbol(code), once.verdict(), once.scope(), once.step(), twice.scope());
  }

  @Test
  void codeWithoutAScopeIsolatesNothing() {
    XidTable.SHIPPED.all().stream()
        .filter(xid -> xid.scope() == FaultScope.NONE)
        .forEach(xid ->
            assertThat(judge(xid.code(), NOW.minusSeconds(3600)).scope())
                .isEqualTo(FaultScope.NONE));
  }

  @Test
  void consequentialCodesAreOnlyAttached() {
    assertThat(Stream.of(43, 45, 154).map(code -> judge(code).verdict()))
        .containsOnly(Judgement.Verdict.ATTACHED);
  }

  @Test
  void codeBeyondTheTableIsUnknownAndIsolatesNothing() {
    assertThat(judge(163))
        .isEqualTo(
            new Judgement(
                Judgement.Verdict.UNKNOWN,
                FaultScope.NONE,
                RepairStep.NONE,
                "XID 163, which is not in the fault table"));
  }

  @Test
  void aRepeatCountsFromTheSecondBurstWithin24Hours() {
    // Fails when events of one burst count as repeats, or events of the previous day never expire.
    assertThat(judge(109, NOW.minusSeconds(180)).scope()).isEqualTo(FaultScope.NONE);
    assertThat(judge(109, NOW.minusSeconds(170), NOW.minusSeconds(340)).scope())
        .isEqualTo(FaultScope.NONE);
    assertThat(judge(109, NOW.minusSeconds(181)).scope()).isEqualTo(FaultScope.GPU);
    assertThat(judge(109, NOW.minus(Judgement.REPEAT)).scope()).isEqualTo(FaultScope.GPU);
    assertThat(judge(109, NOW.minus(Judgement.REPEAT).minusSeconds(1)).scope())
        .isEqualTo(FaultScope.NONE);
    assertThat(judge(109, NOW.plusSeconds(3600)).scope()).isEqualTo(FaultScope.NONE);
  }

  @Test
  void contradictoryTableIsRejected() {
    String head = "# Version 2.\nxid,name,bucket,severity,quarantine,step,counted,advice\n";
    assertThat(
            XidTable.parse(head + "1,\"a, b\",X,fatal,gpu,REBOOT,yes,\n")
                .find(1)
                .orElseThrow()
                .text())
        .isEqualTo("XID 1 (a, b)");
    for (String bad :
        List.of(
            "1,a,X,fatal,gpu,REBOOT,yes",
            "1,a,X,fatal,rack,REBOOT,yes,",
            "1,a,X,lethal,gpu,REBOOT,yes,",
            "1,a,X,fatal,gpu,HIT,yes,",
            "1,a,X,fatal,gpu,REBOOT,yes,\n1,a,X,fatal,gpu,REBOOT,yes,",
            "100001,a,X,fatal,gpu,REBOOT,yes,",
            "DCGM_A,1,a,X,fatal,gpu,REBOOT,yes,",
            "DCGM_A,100001,a,X,fatal,gpu,REBOOT,yes,\nDCGM_A,100002,a,X,fatal,gpu,REBOOT,yes,")) {
      assertThatThrownBy(() -> XidTable.parse(head + bad))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> XidTable.parse("xid\n")).hasMessageContaining("Version");
  }

  private static Judgement judge(int code, Instant... before) {
    return Judgement.of(
        XidTable.SHIPPED, new HealthEvent("e", NOW, "n", "GPU-1", null, code, ""), List.of(before));
  }
}
