package dev.fairlead.work.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class ReservationStoreContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  private Reservation reservation(Job job, int element, @Nullable Instant startsAt) {
    Instant now = world.now().truncatedTo(ChronoUnit.MICROS);
    return new Reservation(
        job.id(),
        element,
        Reservation.Kind.PREEMPTION,
        world.cluster().id(),
        Members.of(job.spec(), List.of(world.node("node-1")), CapacityType.RESERVED),
        List.of(new AttemptId(stores.ids().next()), new AttemptId(stores.ids().next())),
        now,
        startsAt,
        now.plus(Duration.ofMinutes(10)));
  }

  private List<Reservation> of(Job job) {
    return stores.reservations().all().stream().filter(r -> r.job().equals(job.id())).toList();
  }

  @Test
  void allFieldsOfAReservationAreReadBack() {
    Job job = world.submit(Specs.job("waits").gpus(2));
    Reservation known = reservation(job, 0, world.now().truncatedTo(ChronoUnit.MICROS));

    stores.reservations().put(List.of(known));

    assertThat(of(job)).containsExactly(known);
    assertThat(stores.world().read().reservations()).contains(known);
  }

  /** Fails when a reservation of one kind is read as another, or cannot be removed. */
  @Test
  void reservationOfEachKindRoundTrips() {
    Job job = world.submit(Specs.job("waits").gpus(2));
    Reservation any = reservation(job, 0, null);
    for (Reservation.Kind kind : Reservation.Kind.values()) {
      Reservation kept = with(any, kind, Duration.ZERO, Duration.ZERO);
      stores.reservations().put(List.of(kept));
      assertThat(of(job)).containsExactly(kept);
    }
    stores
        .reservations()
        .remove(List.of(with(any, Reservation.Kind.FAULT, Duration.ZERO, Duration.ZERO)));
    assertThat(of(job)).as("that of a test is another than that of a fault").hasSize(1);
    stores
        .reservations()
        .remove(List.of(with(any, Reservation.Kind.PREFLIGHT, Duration.ZERO, Duration.ZERO)));
    assertThat(of(job)).isEmpty();
  }

  @Test
  void laterReservationOfAnElementReplacesTheEarlierOne() {
    Job job = world.submit(Specs.job("waits").gpus(2));
    Reservation later = reservation(job, 0, null);
    stores.reservations().put(List.of(reservation(job, 0, world.now()), reservation(job, 1, null)));

    stores.reservations().put(List.of(later));

    assertThat(of(job)).hasSize(2).contains(later);
  }

  @Test
  void removedReservationIsGoneAndASecondRemovalIsHarmless() {
    Job job = world.submit(Specs.job("waits").gpus(2));
    Reservation known = reservation(job, 0, null);
    stores.reservations().put(List.of(known));

    stores.reservations().remove(List.of(known));
    stores.reservations().remove(List.of(known));

    assertThat(of(job)).isEmpty();
  }

  /** Fails when a decision on an old snapshot ends a newer reservation after a fault. */
  @Test
  void successorOfARemovedReservationSurvives() {
    Job job = world.submit(Specs.job("waits").gpus(2));
    Reservation seen = reservation(job, 0, null);
    List.of(
            with(seen, Reservation.Kind.FAULT, Duration.ZERO, Duration.ZERO),
            with(seen, seen.kind(), Duration.ofNanos(1000), Duration.ZERO),
            with(seen, seen.kind(), Duration.ZERO, Duration.ofSeconds(1)))
        .forEach(newer -> {
          stores.reservations().put(List.of(seen));
          stores.reservations().put(List.of(newer));

          stores.reservations().remove(List.of(seen));

          assertThat(of(job)).containsExactly(newer);
        });
  }

  private static Reservation with(
      Reservation r, Reservation.Kind kind, Duration made, Duration longer) {
    return new Reservation(
        r.job(),
        r.element(),
        kind,
        r.cluster(),
        r.members(),
        r.victims(),
        r.createdAt().plus(made),
        r.startsAt(),
        r.expiresAt().plus(longer));
  }

  @Test
  void failedTransactionReservesNothing() {
    Job job = world.submit(Specs.job("waits").gpus(2));

    assertThatThrownBy(() ->
            stores
                .transactions()
                .run(() -> {
                  stores.reservations().put(List.of(reservation(job, 0, null)));
                  throw new IllegalStateException("fails");
                }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(of(job)).isEmpty();
  }
}
