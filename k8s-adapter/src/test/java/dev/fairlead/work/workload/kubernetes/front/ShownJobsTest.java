package dev.fairlead.work.workload.kubernetes.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShownJobsTest {
  private final ShownJobs jobs = new ShownJobs(new FrontBound(2, 10));

  private static ShownJob job(String uid, boolean deleting) {
    return job(uid, "1", deleting);
  }

  private static ShownJob job(String uid, String version, boolean deleting) {
    SeenJob seen =
        new SeenJob(
            uid, "team-a", uid, version, deleting, true, false, false, false, FrontStatus.NEW);
    return new ShownJob(seen, List.of(), null);
  }

  /** Fails when an adopted Job remains hidden beyond the limit, or its deletion is not shown. */
  @Test
  void adoptedJobIsShownBeyondTheBound() {
    List.of("a", "b", "z").forEach(uid -> jobs.moved(null, job(uid, false)));
    assertThat(jobs.all()).containsExactlyInAnyOrder("a", "b");
    assertThat(jobs.changed(10)).containsExactly("a", "b");

    jobs.admit(List.of("z", "gone"));

    assertThat(jobs.changed(10)).containsExactly("z");
    jobs.moved(job("z", false), job("z", "2", true));
    assertThat(jobs.get("z")).isEqualTo(job("z", "2", true));
    jobs.moved(job("z", "2", true), null);
    assertThat(jobs.all()).containsExactlyInAnyOrder("a", "b");
    assertThat(jobs.changed(10)).containsExactly("z");
  }

  /** Fails when a Job that was deleted while it was omitted is shown forever. */
  @Test
  void aJobThatVanishedIsNotAdmitted() {
    List.of("a", "b", "z").forEach(uid -> jobs.moved(null, job(uid, false)));
    jobs.moved(job("z", false), null);

    jobs.admit(List.of("z"));

    assertThat(jobs.get("z")).isNull();
  }

  /**
   * Fails when Fairlead plans a Job again after each of its own writes, or loses a later change.
   */
  @Test
  void ownWriteSeenByTheWatchIsNotAChange() {
    jobs.moved(null, job("a", "1", false));
    assertThat(jobs.changed(10)).containsExactly("a");
    jobs.wrote("1", job("a", "2", false));

    jobs.moved(job("a", "1", false), job("a", "2", false));
    assertThat(jobs.changed(10)).isEmpty();
    jobs.moved(job("a", "2", false), job("a", "3", true));
    assertThat(jobs.changed(10)).containsExactly("a");
  }

  /** Fails when a change of another writer is lost because a read showed it before the watch. */
  @Test
  void readOfAnotherVersionIsAChange() {
    jobs.moved(null, job("a", "1", false));
    assertThat(jobs.changed(10)).containsExactly("a");

    jobs.read(job("a", "1", false), job("a", "1", false));
    assertThat(jobs.changed(10)).isEmpty();
    jobs.read(job("a", "1", false), job("a", "2", true));
    jobs.moved(job("a", "1", false), job("a", "2", true));
    assertThat(jobs.changed(10)).containsExactly("a");
  }

  /** Fails when the late answer to a write or read hides a deletion that the watch has shown. */
  @Test
  void lateResponseDoesNotReplaceALaterVersion() {
    jobs.moved(null, job("a", "1", false));
    jobs.moved(job("a", "1", false), job("a", "3", true));

    jobs.wrote("1", job("a", "2", false));
    assertThat(jobs.get("a")).isEqualTo(job("a", "3", true));
    jobs.read(job("a", "1", false), job("a", "2", false));
    assertThat(jobs.get("a")).isEqualTo(job("a", "3", true));
  }
}
