package dev.fairlead.work.workdir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of every {@link WorkdirStore}, including the isolation of tenants. */
public abstract class WorkdirStoreContract {
  private static final String DIGEST = "sha256:" + "c0de".repeat(16);
  private static final long MOST = 1_000;
  private static final Duration LONG = Duration.ofDays(1);

  /** In the future, so that everything is older. */
  private static final Duration NONE = Duration.ofMinutes(-5);

  private Stores stores;
  private TestWorld world;
  private WorkdirStore workdirs;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
    workdirs = stores.workdirs();
  }

  private TenantId tenant() {
    return world.tenant().id();
  }

  private ProjectId project() {
    return world.project().id();
  }

  private Workdir upload(long bytes) {
    return new Workdir(
        stores.ids().next(),
        tenant(),
        project(),
        DIGEST,
        bytes,
        Instant.parse("2026-03-01T12:00:00Z"));
  }

  private Workdir stored() {
    Workdir upload = upload(100);
    assertThat(workdirs.begin(upload, MOST)).isTrue();
    assertThat(workdirs.complete(upload)).isTrue();
    return upload;
  }

  private List<UUID> condemned(Duration upload, Duration unclaimed) {
    return workdirs.condemn(upload, unclaimed, 1_000).stream()
        .filter(one -> one.tenant().equals(tenant()))
        .map(Workdir::id)
        .toList();
  }

  private boolean claimed(JobId job) {
    return workdirs.claim(tenant(), project(), job, DIGEST);
  }

  /** Fails when an upload is found before its end. */
  @Test
  void archiveIsFoundByItsProjectOnceUploaded() {
    Workdir upload = upload(100);
    workdirs.begin(upload, MOST);
    assertThat(workdirs.find(tenant(), project(), DIGEST)).isEmpty();

    assertThat(workdirs.complete(upload)).isTrue();

    assertThat(workdirs.find(tenant(), project(), DIGEST))
        .get()
        .extracting(Workdir::id, Workdir::bytes)
        .containsExactly(upload.id(), 100L);
  }

  /** Fails when a guessed digest opens the code of another tenant or project. */
  @Test
  void guessedDigestGivesNoAccess() {
    stored();
    TestWorld other = TestWorld.in(stores);

    assertThat(workdirs.find(other.tenant().id(), project(), DIGEST)).isEmpty();
    assertThat(workdirs.find(tenant(), other.project().id(), DIGEST)).isEmpty();
    assertThat(
            workdirs.claim(
                other.tenant().id(), other.project().id(), new JobId(stores.ids().next()), DIGEST))
        .isFalse();
  }

  @Test
  void uploadsCountAgainstTheLimitUntilTheyAreAbandoned() {
    Workdir first = upload(600);
    assertThat(workdirs.begin(first, MOST)).isTrue();
    assertThat(workdirs.begin(upload(401), MOST)).isFalse();
    assertThat(workdirs.begin(upload(400), MOST)).isTrue();

    workdirs.abandon(first);

    assertThat(workdirs.complete(first)).isFalse();
    assertThat(workdirs.begin(upload(600), MOST)).isTrue();
  }

  @Test
  void firstCompletedUploadOfADigestIsStored() {
    Workdir first = upload(1);
    Workdir second = upload(1);
    workdirs.begin(first, MOST);
    workdirs.begin(second, MOST);

    assertThat(workdirs.complete(second)).isTrue();
    assertThat(workdirs.complete(first)).isFalse();

    assertThat(workdirs.find(tenant(), project(), DIGEST)).map(Workdir::id).contains(second.id());
  }

  /** Fails when code of a job is deleted. */
  @Test
  void archiveIsDeletedOnlyAfterItsLastJob() {
    Workdir workdir = stored();
    Job job = world.submit(Specs.job("train").workdir(DIGEST));
    assertThat(claimed(job.id())).isTrue();

    assertThat(condemned(NONE, NONE)).isEmpty();

    world.cancel(job);
    assertThat(condemned(NONE, NONE)).isEmpty();
    assertThat(stores.jobs().delete(job.id())).isTrue();
    assertThat(condemned(LONG, LONG)).isEmpty();
    assertThat(condemned(LONG, NONE)).containsExactly(workdir.id());
  }

  /** Fails when a job can claim code whose pieces are being removed, or its row is lost early. */
  @Test
  void archiveMarkedForDeletionCannotBeClaimedAndItsRowIsDeletedLast() {
    Workdir workdir = stored();
    assertThat(condemned(LONG, NONE)).containsExactly(workdir.id());

    assertThat(claimed(new JobId(stores.ids().next()))).isFalse();
    assertThat(workdirs.find(tenant(), project(), DIGEST)).isEmpty();
    assertThat(condemned(LONG, LONG)).as("after a crash").containsExactly(workdir.id());
    Workdir again = stored();

    workdirs.forget(workdir.id());
    workdirs.forget(again.id());

    assertThat(condemned(LONG, LONG)).isEmpty();
    assertThat(workdirs.find(tenant(), project(), DIGEST)).map(Workdir::id).contains(again.id());
  }

  /** Fails when an archive that cannot be removed is the first of each sweep. */
  @Test
  void undeletedArchiveDelaysNoOther() {
    Workdir stuck = stored();
    assertThat(condemned(LONG, NONE)).contains(stuck.id());
    Workdir later = stored();
    assertThat(condemned(LONG, NONE)).contains(later.id());

    Set<UUID> swept = new HashSet<>();
    int all = workdirs.condemn(LONG, LONG, 1_000).size();
    for (int sweep = 0; sweep < all + 2; sweep++) {
      stores.advance(Duration.ofSeconds(1));
      workdirs.condemn(LONG, LONG, 1).forEach(one -> swept.add(one.id()));
    }

    assertThat(swept).contains(stuck.id(), later.id());
  }

  @Test
  void unfinishedUploadIsDeleted() {
    Workdir upload = upload(100);
    workdirs.begin(upload, MOST);

    assertThat(condemned(LONG, LONG)).isEmpty();
    assertThat(condemned(NONE, LONG)).containsExactly(upload.id());
    assertThat(workdirs.complete(upload)).isFalse();
  }
}
