package dev.fairlead.work.workload.output;

import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.ForeignLogStore;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.StoreClaim;
import java.io.IOException;
import java.util.List;
import org.springframework.stereotype.Component;

/** Checks that the log store accepts writes. */
@Component
public class LogDiagnosis implements Diagnosis {
  private final ChunkStore store;
  private final LogStore index;

  public LogDiagnosis(ChunkStore store, LogStore index) {
    this.store = store;
    this.index = index;
  }

  @Override
  public String area() {
    return "logs";
  }

  @Override
  public List<DoctorCheck> look() {
    if (!store.keeps()) {
      return List.of(
          DoctorCheck.ok(
              area(),
              "store",
              "output is not stored and disappears with its pods, because fairlead.logs.directory"
                  + " and fairlead.logs.s3.bucket are empty"));
    }
    try {
      store.probe();
      return List.of(DoctorCheck.ok(area(), "store", "accepts writes"), owned());
    } catch (ForeignLogStore foreign) {
      return List.of(refused(foreign, foreign.next()));
    } catch (IOException failed) {
      return List.of(
          refused(
              failed,
              "Free space in the log store, or grant the service permission to read, write, list"
                  + " and delete objects."));
    }
  }

  /**
   * Reads the claim before the nonces, because a nonce is stored before it is written to the claim.
   */
  private DoctorCheck owned() throws IOException {
    StoreClaim claim = store.claim();
    StoreClaim.Holder holder = claim.holder(index.nonces());
    return switch (holder) {
      case OURS -> DoctorCheck.ok(area(), "claim", "was last written by this database");
      case FREE ->
          DoctorCheck.warning(
              area(),
              "claim",
              "is not confirmed yet, so no log is removed",
              "A process with the role background confirms it within two minutes after Fairlead has"
                  + " acted on a cluster of this database. See"
                  + " docs/how-to/runbooks/FairleadLogStoreUnproved.md.");
      case OTHERS, CONTESTED -> {
        ForeignLogStore foreign = ForeignLogStore.written("the claim", holder, claim);
        yield DoctorCheck.problem(
            area(), "claim", String.valueOf(foreign.getMessage()), foreign.next());
      }
    };
  }

  private DoctorCheck refused(IOException failed, String next) {
    return DoctorCheck.problem(
        area(),
        "store",
        "rejects writes: " + failed.getMessage(),
        next + " See docs/how-to/logs.md.");
  }
}
