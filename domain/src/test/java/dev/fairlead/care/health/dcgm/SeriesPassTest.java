package dev.fairlead.care.health.dcgm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.dcgm.SeriesPass.Found;
import dev.fairlead.care.health.dcgm.SeriesPass.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Health events in the values of the DCGM exporter. */
class SeriesPassTest {
  private static final String GPU = "GPU-a8394b51-c086-568a-9f1a-c1e1c934c44c";
  private static final String TEMP = "DCGM_FI_DEV_GPU_TEMP";
  private static final String XID = "DCGM_FI_DEV_XID_ERRORS";
  private static final String DBE = "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL";
  private static final String SBE = "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL";
  private static final String REMAP = "DCGM_FI_DEV_ROW_REMAP_FAILURE";
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private final Map<String, SampleRecord> stored = new TreeMap<>();
  private Instant now = Instant.parse("2026-03-01T12:00:00Z");

  private static GpuSample of(String series, double value) {
    return new GpuSample(series, GPU, List.of("n0"), value, null);
  }

  /** Compares these samples a minute later, without storing anything. */
  private SeriesPass compared(GpuSample... samples) {
    now = now.plus(MINUTE);
    return SeriesPass.of(
        SeriesTable.CURRENT, List.of(samples), stored.values(), Set.of("n0", "n1"), now);
  }

  /** Reads a GPU of 40 °C with these samples, and stores its values. */
  private List<String> read(GpuSample... samples) {
    List<GpuSample> all = new ArrayList<>(Arrays.asList(samples));
    if (Arrays.stream(samples).noneMatch(sample -> sample.series().equals(TEMP))) {
      all.add(of(TEMP, 40));
    }
    SeriesPass pass = compared(all.toArray(GpuSample[]::new));
    pass.quiet().forEach(this::store);
    pass.found().forEach(found -> store(found.next()));
    return codes(pass);
  }

  private void store(SampleRecord sample) {
    stored.put(sample.gpu() + sample.series(), sample);
  }

  private static List<String> codes(SeriesPass pass) {
    return pass.found().stream().map(found -> XidTable.symbol(found.event().xid())).toList();
  }

  private void skip(Duration time) {
    now = now.plus(time);
  }

  @Test
  void xidIsReportedOnceWhileTheGaugeRetainsIt() {
    assertThat(read(of(XID, 0))).isEmpty();
    assertThat(read(of(XID, 79))).containsExactly("79");
    assertThat(read(of(XID, 79))).isEmpty();
    skip(Duration.ofDays(30));
    assertThat(read(of(XID, 79))).isEmpty();
    assertThat(read(of(XID, 31))).containsExactly("31");
  }

  @Test
  void xidOfANewGpuMayBeOldAndIsNotAnEvent() {
    assertThat(read(of(XID, 79))).isEmpty();
    assertThat(read(of(XID, 79))).isEmpty();
    assertThat(read(of(XID, 48))).containsExactly("48");
  }

  /** Some exporters create the series with the first XID. */
  @Test
  void anXidWhoseSeriesWasMissingIsReported() {
    read();
    assertThat(read(of(XID, 79))).containsExactly("79");
  }

  /** Fails when enabling the setting again reports the faults of months. */
  @Test
  void xidOfAGpuUnreadForDaysMayBeRepairedAndIsNotAnEvent() {
    read();
    skip(Duration.ofHours(30));
    assertThat(read(of(XID, 31))).containsExactly("31");
    skip(Duration.ofDays(3));
    assertThat(read(of(XID, 79), of(REMAP, 1))).containsExactly(REMAP);
    assertThat(read(of(XID, 48), of(REMAP, 1))).containsExactly("48");
  }

  @Test
  void restartedExporterWithTheSameXidReportsNothing() {
    read();
    read(of(XID, 79));
    compared(); // no target answers
    assertThat(read(of(XID, 79))).isEmpty();
  }

  @Test
  void sameXidAfterAGaugeResetIsANewEvent() {
    read();
    SeriesPass first = compared(of(TEMP, 40), of(XID, 79));
    first.found().forEach(found -> store(found.next()));
    assertThat(read(of(XID, 0))).isEmpty();
    SeriesPass second = compared(of(TEMP, 40), of(XID, 79));

    assertThat(codes(second)).containsExactly("79");
    assertThat(second.found().getFirst().event().id())
        .isNotEqualTo(first.found().getFirst().event().id());
  }

  /** Fails when a process that ends before it stores the value reports the fault twice. */
  @Test
  void aRepeatedPassHasTheSameEvents() {
    read();
    String first = compared(of(TEMP, 40), of(XID, 79)).found().getFirst().event().id();
    String again = compared(of(TEMP, 40), of(XID, 79)).found().getFirst().event().id();

    assertThat(again).isEqualTo(first);
  }

  @Test
  void persistentFaultIsReportedAtTheFirstReading() {
    assertThat(read(of(REMAP, 1), of(DBE, 2), of(SBE, 7))).containsExactly(DBE, REMAP);
    assertThat(read(of(REMAP, 1), of(DBE, 2), of(SBE, 7))).isEmpty();
  }

  @Test
  void risingCounterIsReportedEvenAfterAReset() {
    read(of(DBE, 2));
    assertThat(read(of(DBE, 3))).containsExactly(DBE);
    assertThat(read()).isEmpty();
    assertThat(read(of(DBE, 1))).containsExactly(DBE);
    read(of(DBE, 5));
    assertThat(read(of(DBE, 2))).as("restarted from 0 between two readings").containsExactly(DBE);
  }

  @Test
  void steadilyRisingHarmlessCounterIsReportedOnceAnHour() {
    read();
    int events = 0;
    for (int minute = 1; minute <= 120; minute++) {
      events += read(of(SBE, minute)).size();
    }
    assertThat(events).isEqualTo(2);
  }

  @Test
  void heatAndThrottlingCountFromTheirLimits() {
    String clocks = "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS";
    read(of(TEMP, 89), of(clocks, 5));
    assertThat(read(of(TEMP, 90), of(clocks, 5))).isEmpty();
    skip(Duration.ofHours(1));
    assertThat(read(of(TEMP, 91), of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", 0x44)))
        .containsExactly("DCGM_FR_TEMP_VIOLATION", "DCGM_FR_CLOCKS_EVENT_THERMAL");
    assertThat(read(of(TEMP, 92), of(clocks, 0x40))).isEmpty();
  }

  @Test
  void theEventNamesTheGpuAndTheNode() {
    read();
    HealthEvent event = compared(of(TEMP, 40), of(DBE, 3)).found().getFirst().event();

    assertThat(event.node()).isEqualTo("n0");
    assertThat(event.gpu()).isEqualTo(GPU);
    assertThat(event.at()).isEqualTo(now);
    assertThat(event.message()).isEqualTo(DBE + " was 0, is 3");
    assertThat(compared(of(TEMP, 40), of(XID, 145)).found())
        .extracting(Found::xid, found -> found.event().message())
        .containsExactly(tuple(true, ""));
  }

  @Test
  void invalidGpuSamplesAreCounted() {
    SeriesPass pass =
        compared(
            of(TEMP, 40),
            of(XID, Double.NaN),
            of(XID, -1),
            of(XID, Double.POSITIVE_INFINITY),
            of(XID, 100_000),
            of(SBE, 2_147_483_632),
            of(SBE, 9.223372036854776E18),
            of("DCGM_FI_DEV_NEW", 1),
            new GpuSample(XID, "", List.of("n0"), 79, null),
            new GpuSample(
                XID, "MIG-5c89852c-d268-c3f3-1b07-005d5ae1dc3f", List.of("n0"), 79, null));

    assertThat(pass.skipped()).containsExactly(Map.entry(Reason.BAD, 9));
    assertThat(pass.found()).isEmpty();
  }

  /** Fails when DCGM has no value for a moment and the fault before it is reported again. */
  @Test
  void invalidSampleKeepsTheLastValue() {
    read(of(DBE, 2));
    assertThat(read(of(DBE, 2_147_483_632))).isEmpty();
    assertThat(read(of(DBE, 2))).isEmpty();
    assertThat(read(of(DBE, 3))).containsExactly(DBE);
  }

  /** Fails when an exporter that invents GPUs fills the database. */
  @Test
  void tooManyGpusEvictTheLeastRecentlyReadOnes() {
    read();
    for (int gpu = 0; gpu < SeriesPass.MOST - 1; gpu++) {
      stored.put("old" + gpu, new SampleRecord("GPU-old" + gpu, TEMP, 0, now, now));
    }
    stored.put("old7", new SampleRecord("GPU-old7", TEMP, 0, now, now.minusSeconds(1)));
    SeriesPass pass =
        compared(
            of(TEMP, 40), new GpuSample(TEMP, "GPU-new", List.of("n1"), 40, null), of(XID, 79));

    assertThat(pass.gone()).containsExactly("GPU-old7", "GPU-old0");
    assertThat(pass.quiet()).extracting(SampleRecord::gpu).containsExactly("GPU-new");
    assertThat(codes(pass)).containsExactly("79");
    assertThat(pass.skipped()).isEmpty();
  }

  @Test
  void newSeriesIsSkippedWhileNoSeriesCanBeEvicted() {
    read();
    for (int row = 1; row < SeriesPass.MOST; row++) {
      stored.put("row" + row, new SampleRecord(GPU, "row" + row, 0, now, now));
    }

    assertThat(compared(of(TEMP, 40), of(XID, 79)).found()).isEmpty();
    assertThat(compared(of(TEMP, 40), of(XID, 79)).skipped())
        .containsExactly(Map.entry(Reason.FULL, 1));
  }

  @Test
  void aGpuOfAnotherMachineIsNotGuessed() {
    SeriesPass pass =
        compared(
            new GpuSample(TEMP, GPU, List.of("n0.example.com"), 40, null),
            new GpuSample(REMAP, GPU, List.of("n0.example.com"), 1, null));

    assertThat(pass.skipped()).containsExactly(Map.entry(Reason.FOREIGN, 1));
    assertThat(pass.strangers()).containsExactly("n0.example.com");
    assertThat(pass.found()).isEmpty();
  }

  @Test
  void gpuClaimedByTwoMachinesIsDisputed() {
    SeriesPass pass =
        compared(
            of(TEMP, 40), of(REMAP, 1), new GpuSample(TEMP, GPU, List.of("pod-x", "n1"), 40, null));

    assertThat(pass.skipped()).containsExactly(Map.entry(Reason.DISPUTED, 1));
    assertThat(pass.disputed()).containsExactly(GPU + " on n0 and n1");
    assertThat(pass.found()).isEmpty();
  }

  @Test
  void invalidNodeLabelIsIgnoredWhenAValidOneExists() {
    read(new GpuSample(TEMP, GPU, List.of("dcgm-exporter-x7k2p", "n1"), 40, null));
    SeriesPass pass =
        compared(
            new GpuSample(TEMP, GPU, List.of("dcgm-exporter-x7k2p", "n1"), 40, null),
            new GpuSample(XID, GPU, List.of("dcgm-exporter-x7k2p", "n1"), 79, null));

    assertThat(pass.found()).extracting(found -> found.event().node()).containsExactly("n1");
  }

  /** Fails when values of a removed target are evaluated. */
  @Test
  void aGpuWithoutARecentTemperatureIsNotJudged() {
    read();
    assertThat(compared(of(XID, 79)).found()).isEmpty();
    assertThat(read(of(XID, 79))).containsExactly("79");
  }

  @Test
  void unreportedGpuIsForgottenAfterThreeMonths() {
    read();
    skip(Duration.ofDays(80));
    read();
    skip(SeriesPass.FORGOTTEN);
    assertThat(compared().gone()).containsExactly(GPU);
    skip(MINUTE.negated().multipliedBy(2));
    assertThat(compared().gone()).isEmpty();
  }

  @Test
  void unchangedGpuIsWrittenOnceADay() {
    read();
    assertThat(compared(of(TEMP, 40)).quiet()).isEmpty();
    skip(SeriesPass.SEEN);
    assertThat(compared(of(TEMP, 41)).quiet()).hasSize(1);
  }

  /** Fails when a forged list of a node displaces its own GPUs, or is read without a limit. */
  @Test
  void nodeWithTooManyGpusRetainsTheKnownOnes() {
    read(of(XID, 0));
    List<GpuSample> forged = new ArrayList<>();
    for (int i = 0; i < SeriesPass.MOST_OF_NODE + 9; i++) {
      forged.add(new GpuSample(TEMP, "GPU-%04d".formatted(i), List.of("n0"), 40, null));
    }
    forged.add(of(TEMP, 40));
    forged.add(of(XID, 79));
    forged.add(new GpuSample(TEMP, "GPU-other", List.of("n1"), 40, null));
    SeriesPass pass = compared(forged.toArray(GpuSample[]::new));

    assertThat(codes(pass)).containsExactly("79");
    assertThat(pass.skipped()).containsEntry(Reason.CROWDED, 10);
    assertThat(pass.gpus()).hasSize(SeriesPass.MOST_OF_NODE + 1).containsKeys(GPU, "GPU-other");
  }
}
