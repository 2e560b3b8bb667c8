package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Volume claims in every {@link ClusterGateway}. */
public abstract class ClusterVolumesContract {
  protected static final long EPOCH = 5;
  private static final Instant MADE = Instant.parse("2030-01-01T00:00:00Z");
  private Project project;

  protected abstract ClusterGateway gateway();

  protected abstract Installation installation();

  protected abstract IdSource ids();

  /** Name of the project that owns the volumes. Its namespace begins with {@code fairlead-}. */
  protected abstract String projectName();

  /** Deletes the claim of a volume from outside. */
  protected abstract void deletes(String namespace, String claim);

  /** Replaces the claim from outside. */
  protected abstract void replaces(String namespace, String claim);

  @BeforeEach
  void aProject() {
    project =
        new Project(
            new ProjectId(ids().next()),
            new TenantId(ids().next()),
            projectName(),
            "fairlead-" + projectName(),
            new QuotaNodeId(ids().next()).value(),
            Egress.OPEN,
            null,
            null,
            1);
  }

  protected final String namespace() {
    return project.namespace();
  }

  protected final Volume placed(UUID id, String name) {
    return Volume.claimed(
            id,
            project.tenant(),
            project.id(),
            name,
            new Volume.Request(1, null, Volume.Access.READ_WRITE_ONCE),
            true,
            new Volume.Made(MADE, "ana"))
        .placed(new ClusterId(new UUID(1, 2)));
  }

  protected final VolumeOutcome provide(Volume volume) {
    return provide(volume, EPOCH);
  }

  private VolumeOutcome provide(Volume volume, long epoch) {
    return gateway().provide(new VolumeOrder(installation(), epoch, project, volume));
  }

  /** Creates the claim of a new volume and returns the stored volume. */
  protected final Volume made(String name) {
    Volume volume = placed(ids().next(), name);
    return volume.provisioned(uid(provide(volume)), Instant.EPOCH);
  }

  protected static String uid(VolumeOutcome outcome) {
    assertThat(outcome).isInstanceOf(VolumeOutcome.There.class);
    return ((VolumeOutcome.There) outcome).uid();
  }

  /** Fails when a lost response causes a second claim. */
  @Test
  void claimIsCreatedOnceAndFoundAgain() {
    Volume volume = placed(ids().next(), "training");

    String uid = uid(provide(volume));

    assertThat(uid).isNotBlank();
    assertThat(uid(provide(volume))).as("its answer was lost").isEqualTo(uid);
    assertThat(uid(provide(volume.provisioned(uid, Instant.EPOCH)))).isEqualTo(uid);
  }

  /** Fails when a claim whose data was deleted is created again, empty. */
  @Test
  void missingClaimIsReportedAndNotRecreated() {
    Volume volume = made("gone");
    deletes(namespace(), volume.claimName());

    assertThat(provide(volume)).isInstanceOf(VolumeOutcome.Lost.class);
    assertThat(provide(volume)).as("it was not made").isInstanceOf(VolumeOutcome.Lost.class);
  }

  @Test
  void foreignClaimWithItsNameIsIgnored() {
    Volume volume = made("other");
    replaces(namespace(), volume.claimName());

    assertThat(provide(volume))
        .isInstanceOfSatisfying(
            VolumeOutcome.Lost.class, lost -> assertThat(lost.message()).contains("other data"));
  }

  /** Fails when the claim of one volume is used for another. */
  @Test
  void claimOfAnotherVolumeIsNotAdopted() {
    Volume first = made("twin");
    UUID id = first.id();
    Volume second =
        placed(new UUID(id.getMostSignificantBits() ^ 1, id.getLeastSignificantBits()), "twin");
    assertThat(second.claimName()).isEqualTo(first.claimName());

    assertThat(provide(second))
        .isInstanceOfSatisfying(
            VolumeOutcome.Not.class,
            not ->
                assertThat(not.why())
                    .isInstanceOfSatisfying(
                        ActionOutcome.Refused.class,
                        refused ->
                            assertThat(refused.why()).isEqualTo(ActionOutcome.Why.NAME_TAKEN)));
  }

  @Test
  void deposedSupervisorCreatesNoClaim() {
    uid(provide(placed(ids().next(), "ours")));

    assertThat(provide(placed(ids().next(), "late"), EPOCH - 1))
        .isInstanceOfSatisfying(
            VolumeOutcome.Not.class,
            not -> assertThat(not.why()).isInstanceOf(ActionOutcome.Deposed.class));
  }
}
