package dev.fairlead.data.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.data.volume.VolumeStore.Key;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of every {@link VolumeStore}, including the isolation of tenants. */
public abstract class VolumeStoreContract {
  private static final Instant BOUND = Instant.parse("2026-03-01T13:00:00Z");
  private Stores stores;
  private TestWorld world;
  private VolumeStore volumes;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
    volumes = stores.volumes();
  }

  private Volume kept(String name) {
    return Volumes.kept(stores, world.project(), name);
  }

  private Volume placed(String name) {
    return Volumes.stored(stores, kept(name).placed(world.cluster().id()));
  }

  private Volume now(Volume volume) {
    return volumes.find(volume.tenant(), volume.project(), volume.name()).orElseThrow();
  }

  @Test
  void volumeIsReadInItsProjectOnly() {
    TestWorld other = TestWorld.in(stores);
    Project sibling = world.newProject("sibling");
    stores.transactions().run(() -> stores.tenants().insert(sibling));
    Volume training = kept("training");
    Volume images =
        Volume.claimed(
            stores.ids().next(),
            world.tenant().id(),
            world.project().id(),
            "images",
            new Volume.Request(7, "fast", Volume.Access.READ_ONLY_MANY),
            false,
            new Volume.Made(BOUND, "ben"));
    volumes.insert(images);
    Volume theirs = Volumes.kept(stores, sibling, "training");

    assertThat(volumes.all(world.tenant().id(), world.project().id()))
        .containsExactly(images, training);
    assertThat(volumes.named(world.tenant().id(), world.project().id(), List.of("images", "x")))
        .containsExactly(images);
    assertThat(now(theirs)).isEqualTo(theirs);
    assertThat(volumes.find(other.tenant().id(), training.project(), "training")).isEmpty();
    Refused.by(Guard.NAME_TAKEN, () -> kept("training"));
  }

  @Test
  void eachStateIsStoredWithItsFields() {
    Volume placed = placed("training");
    assertThat(volumes.placed()).contains(placed);
    assertThat(volumes.withClaim(placed.tenant())).isEmpty();
    Volume made = Volumes.stored(stores, placed.provisioned("uid-1", BOUND));
    assertThat(now(made)).isEqualTo(made);
    Volume waits = Volumes.stored(stores, made.saying("not bound yet"));
    assertThat(now(made)).isEqualTo(waits);
    SortedMap<String, String> zone = new TreeMap<>();
    zone.put("topology.kubernetes.io/zone", "eu-1a");
    Volume bound =
        Volumes.stored(stores, Volumes.stored(stores, waits.bound(BOUND)).reachedWith(zone));
    assertThat(now(made)).isEqualTo(bound);
    assertThat(now(made).nodeLabels()).isEqualTo(zone);
    assertThat(volumes.withClaim(placed.tenant())).containsExactly(bound);
    assertThat(volumes.on(world.cluster().id())).containsExactly(bound);
    Volume retained = Volumes.stored(stores, bound.ended());
    assertThat(now(made).state()).isEqualTo(VolumeState.RETAINED);
    assertThat(volumes.placed()).doesNotContain(retained);
    assertThat(volumes.on(world.cluster().id())).containsExactly(retained);
    assertThat(volumes.withClaim(placed.tenant())).containsExactly(retained);

    Refused.by(Guard.VERSION, () -> volumes.update(bound.lost("late")));
    Refused.by(Guard.VERSION, () -> volumes.delete(bound));
    volumes.delete(retained);
    assertThat(volumes.all(placed.tenant(), placed.project())).isEmpty();
  }

  @Test
  void lostVolumeHasNothingOnTheCluster() {
    Volume lost =
        Volumes.stored(
            stores,
            Volumes.stored(stores, placed("training").provisioned("uid-1", BOUND)).lost("gone"));

    assertThat(now(lost).message()).isEqualTo("gone");
    assertThat(volumes.on(world.cluster().id())).isEmpty();
    assertThat(volumes.withClaim(lost.tenant())).as("it can be found").containsExactly(lost);
    assertThat(volumes.placed()).doesNotContain(lost);
  }

  @Test
  void volumesAreLockedInTheOrderOfTheirNames() {
    Volume b = kept("b");
    Volume a = kept("a");
    kept("c");
    List<Key> keys =
        List.of(new Key(b.project(), "b"), new Key(b.project(), "a"), new Key(b.project(), "none"));

    List<Volume> locked =
        stores
            .transactions()
            .call(() -> stores.transactions().forAllTenants(() -> volumes.lock(keys)));

    assertThat(locked).containsExactly(a, b);
    assertThat(volumes.lock(List.of())).isEmpty();
  }

  @Test
  void jobsThatMountAVolumeAreItsUsersUntilTheyEnd() {
    Volume volume = kept("training");
    Job job = world.submit(Specs.job("reads").gpus(1).volume("training"));
    world.submit(Specs.job("claims").gpus(1).claim("training"));

    assertThat(volumes.users(volume.tenant(), volume.project(), "training", 5))
        .containsExactly("reads");
    assertThat(volumes.users(volume.tenant(), volume.project(), "other", 5)).isEmpty();
    world.succeed(world.run(world.place(job)));
    assertThat(volumes.users(volume.tenant(), volume.project(), "training", 5)).isEmpty();
  }

  /** Fails when a reader counts as a writer, or a job that ended earlier counts. */
  @Test
  void attemptsWithAMountAreReportedByTheirWriteAccess() {
    Volume volume = kept("training");
    Attempt writes = world.place(world.submit(Specs.job("writes").gpus(1).volume("training")));
    Instant before = stores.jobs().now();

    assertThat(mounting(volume, null)).containsExactly("writes");
    assertThat(mounting(volume, before)).containsExactly("writes");
    world.succeed(world.run(writes));
    assertThat(mounting(volume, null)).isEmpty();
    assertThat(mounting(volume, before)).containsExactly("writes");
    assertThat(mounting(volume, before.plusSeconds(3600))).isEmpty();
  }

  private List<String> mounting(Volume volume, @Nullable Instant since) {
    return volumes.mounting(volume, since, 5);
  }

  /** Fails when a writer that mounts a volume through its claim is missed. */
  @Test
  void jobMountsItsClaim() {
    Volume volume = kept("training");
    Specs job = Specs.job("claims").gpus(1).claim(volume.claimName());
    world.place(world.submit(job));

    assertThat(mounting(volume, null)).containsExactly("claims");
    assertThat(mounting(volume, stores.jobs().now())).containsExactly("claims");
    assertThat(mounting(kept("other"), null)).isEmpty();
  }

  /** Fails when a volume counts before its claim exists, or not at all after its deletion. */
  @Test
  void volumeCountsWhileItHasItsClaim() {
    Instant from = BOUND.minusSeconds(3600);
    Volume volume = Volumes.stored(stores, placed("training").provisioned("uid-1", BOUND));
    kept("claimed");
    Instant later = stores.jobs().now().plusSeconds(3600);

    VolumeStay whole = stays(volume, from, later).getFirst();
    assertThat(stays(volume, from, later)).hasSize(1);
    assertThat(whole.volume().value()).isEqualTo(volume.id());
    assertThat(whole.name()).isEqualTo("training");
    assertThat(whole.from()).isEqualTo(BOUND);
    assertThat(whole.to()).isEqualTo(later);
    VolumeStay hour = stays(volume, from, BOUND.plusSeconds(1800)).getFirst();
    assertThat(hour.gibHours())
        .isEqualByComparingTo(
            new BigDecimal("0.5").multiply(BigDecimal.valueOf(volume.request().sizeGib())));
    assertThat(stays(volume, from, BOUND)).isEmpty();

    Volume lost = Volumes.stored(stores, now(volume).lost("gone"));
    volumes.delete(lost);

    VolumeStay ended = stays(volume, from, later).getFirst();
    assertThat(stays(volume, from, later)).hasSize(1);
    assertThat(ended.to()).isBetween(BOUND, later.minusSeconds(1));
    TenantId other = TestWorld.in(stores).tenant().id();
    assertThat(stays(other, from, later)).isEmpty();
    assertThat(volumes.forgetStays(later, 1000)).isPositive();
    assertThat(stays(volume, from, later)).isEmpty();
  }

  /** Fails when the time without the claim is charged, or all time is charged twice. */
  @Test
  void recoveredVolumeCountsAgainFromThen() {
    Volume volume = Volumes.stored(stores, placed("training").provisioned("uid-1", BOUND));
    Volume lost = Volumes.stored(stores, now(volume).lost("gone"));
    assertThat(volumes.lost(world.cluster().id())).containsExactly(lost);
    Instant again = stores.jobs().now().plusSeconds(60);
    Volume found = Volumes.stored(stores, lost.found(again));
    Instant later = again.plusSeconds(3600);

    assertThat(volumes.lost(world.cluster().id())).isEmpty();
    assertThat(volumes.on(world.cluster().id())).containsExactly(found);
    List<VolumeStay> stays = stays(volume, BOUND, later);
    assertThat(stays).extracting(VolumeStay::from).containsExactly(BOUND, again);
    assertThat(stays.getFirst().to()).isBefore(again);
    assertThat(stays.getLast().to()).isEqualTo(later);

    Volumes.stored(stores, found.lost("gone again"));
    assertThat(volumes.forgetStays(later, 1000)).isGreaterThanOrEqualTo(2);
    assertThat(stays(volume, BOUND, later)).isEmpty();
  }

  /** Fails when storage that had no claim is charged once its end is forgotten. */
  @Test
  void volumeLostLongAgoIsNotCountedAgainOnRemoval() {
    Volume volume = Volumes.stored(stores, placed("training").provisioned("uid-1", BOUND));
    Volume lost = Volumes.stored(stores, now(volume).lost("gone"));
    Instant later = stores.jobs().now().plusSeconds(3600);
    volumes.forgetStays(later, 1000);

    Volume renamed = Volumes.stored(stores, now(lost).renamed("archive"));
    assertThat(stays(volume, BOUND, later)).isEmpty();
    volumes.delete(now(renamed));
    assertThat(stays(volume, BOUND, later)).isEmpty();
  }

  private List<VolumeStay> stays(Volume volume, Instant from, Instant to) {
    return stays(volume.tenant(), from, to);
  }

  private List<VolumeStay> stays(TenantId tenant, Instant from, Instant to) {
    List<VolumeStay> found = new ArrayList<>();
    volumes.stays(tenant, from, to, found::add);
    return found;
  }

  /** Fails when the claim of a renamed volume is searched under the new name. */
  @Test
  void renamedVolumeRetainsItsClaim() {
    Volume old = Volumes.stored(stores, placed("training").provisioned("uid-1", BOUND));
    Volume renamed = Volumes.stored(stores, old.renamed("archive"));

    assertThat(now(renamed)).isEqualTo(renamed);
    assertThat(renamed.claimName()).isEqualTo(old.claimName()).startsWith("training-");
    assertThat(volumes.find(old.tenant(), old.project(), "training")).isEmpty();
  }

  /** Fails when it is claimed again under an attempt that is about to use it, or never. */
  @Test
  void unprovisionedVolumeIsClaimedAgainWhenItsAttemptEnds() {
    Volume volume = placed("training");
    Volume made = Volumes.stored(stores, placed("other").provisioned("uid-1", BOUND));
    Job job = world.submit(Specs.job("reads").gpus(1).volume("training"));
    Attempt attempt = world.place(job);

    volumes.unplace();
    assertThat(now(volume)).isEqualTo(volume);

    world.succeed(world.run(attempt));
    volumes.unplace();
    assertThat(now(volume)).isEqualTo(volume.unplaced());
    assertThat(now(made)).isEqualTo(made);
  }

  private @Nullable VolumeBreaker breaker() {
    return volumes.breakers().get(world.cluster().id());
  }

  private Volume bound(String name) {
    Volume made = Volumes.stored(stores, placed(name).provisioned("uid-" + name, BOUND));
    return Volumes.stored(stores, made.bound(BOUND));
  }

  /**
   * Fails when a confirmation covers claims that were not missing yet, or remains valid after their
   * return.
   */
  @Test
  void confirmedLossCoversMissingClaimsUntilTheyReturn() {
    ClusterId cluster = world.cluster().id();
    Volume a = bound("a");
    Volume b = bound("b");
    Volume c = bound("c");
    placed("d");
    assertThat(breaker()).isNull();

    volumes.mark(cluster, List.of(a.id(), b.id()), BOUND);
    volumes.mark(cluster, List.of(a.id(), b.id()), BOUND.plusSeconds(9));
    assertThat(breaker()).isEqualTo(new VolumeBreaker(cluster, 2, 3, BOUND));
    assertThat(now(a)).isEqualTo(a.withMissingSince(BOUND));
    assertThat(volumes.placed()).contains(a.withMissingSince(BOUND), c);
    assertThat(volumes.confirm(cluster)).containsExactly(Map.entry(world.tenant().id(), 2));
    assertThat(volumes.confirm(cluster)).as("confirmed before").isEmpty();
    assertThat(volumes.confirmed(cluster)).containsExactlyInAnyOrder(a.id(), b.id());
    assertThat(breaker()).isNull();

    volumes.mark(cluster, List.of(b.id(), c.id()), BOUND.plusSeconds(20));
    assertThat(breaker()).isEqualTo(new VolumeBreaker(cluster, 1, 3, BOUND.plusSeconds(20)));
    assertThat(volumes.confirmed(cluster)).containsExactly(b.id());

    volumes.mark(cluster, List.of(), BOUND.plusSeconds(30));
    volumes.mark(cluster, List.of(b.id()), BOUND.plusSeconds(40));
    assertThat(volumes.confirmed(cluster)).isEmpty();
    assertThat(breaker()).isEqualTo(new VolumeBreaker(cluster, 1, 3, BOUND.plusSeconds(40)));
  }

  /** Fails when a deleted volume holds the breaker open, or an update of the volume closes it. */
  @Test
  void onlyVolumesWithAClaimKeepTheBreakerOpen() {
    ClusterId cluster = world.cluster().id();
    Volume a = bound("a");
    Volume b = bound("b");
    volumes.mark(cluster, List.of(a.id(), b.id()), BOUND);

    Volumes.stored(stores, now(a).saying("is gone"));
    Volumes.stored(stores, now(b).ended());

    assertThat(breaker()).isEqualTo(new VolumeBreaker(cluster, 1, 1, BOUND));
    assertThat(volumes.confirm(cluster)).containsExactly(Map.entry(world.tenant().id(), 1));
  }
}
