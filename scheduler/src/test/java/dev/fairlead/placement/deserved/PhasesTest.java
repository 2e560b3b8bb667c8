package dev.fairlead.placement.deserved;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PhasesTest {
  private final Machine machine = new Machine("n", Map.of(), Map.of(), 4, 100, true);
  private final List<Work> works = new ArrayList<>();
  private final List<Account> accounts =
      new ArrayList<>(List.of(account("a", 2000), account("b", 2000)));

  @Test
  void aGangStartsWholeOrNotAtAll() {
    Work gang = work("gang", "a", 1, true, 5, 5);
    phases().allocate();
    assertThat(gang.anyRuns()).isFalse();
  }

  @Test
  void anElasticJobGrowsIntoWhatIsFree() {
    Work elastic = work("elastic", "a", 1, true, 6, 1);
    phases().allocate();
    assertThat(elastic.runningParts()).hasSize(4);
  }

  @Test
  void workThatCannotBeEvictedNeverBorrows() {
    Work fixed = work("fixed", "a", 1, false, 3, 3);
    phases().allocate();
    assertThat(fixed.anyRuns()).isFalse();
  }

  @Test
  void aQueueBelowItsShareTakesBackNoMoreThanItNeeds() {
    Work borrower = running("borrower", "a", 9, 4, 1);
    Work owner = work("owner", "b", 1, true, 1, 1);
    phases().reclaim();
    assertThat(owner.anyRuns()).isTrue();
    assertThat(borrower.runningParts()).hasSize(3);
  }

  @Test
  void nobodyIsEvictedForAJobThatThenStillDoesNotStart() {
    Work borrower = running("borrower", "a", 1, 4, 1);
    work("large", "b", 1, true, 9, 9);
    phases().reclaim();
    assertThat(borrower.runningParts()).hasSize(4);
  }

  @Test
  void preemptionStaysInsideTheQueueAndBelowThePriority() {
    Work equal = running("equal", "a", 5, 2, 2);
    Work other = running("other", "b", 1, 2, 2);
    Work high = work("high", "a", 5, true, 2, 2);
    phases().preempt();
    assertThat(high.anyRuns()).isFalse();
    assertThat(equal.anyRuns()).isTrue();
    assertThat(other.anyRuns()).isTrue();
  }

  @Test
  void theLowerPriorityGoesAndTheGangGoesWhole() {
    Work low = running("low", "a", 1, 2, 2);
    running("mid", "a", 2, 2, 2);
    Work high = work("high", "a", 5, true, 1, 1);
    phases().preempt();
    assertThat(high.anyRuns()).isTrue();
    assertThat(low.anyRuns()).isFalse();
  }

  private Phases phases() {
    return new Phases(List.of(machine), works, accounts, Map.of("gpu", 4000L), 1000);
  }

  private Work running(String name, String queue, int priority, int tasks, int least) {
    Work work = work(name, queue, priority, true, tasks, least);
    for (Part part : work.waiting()) {
      assertThat(machine.seat(part)).isTrue();
      work.runs(part, machine);
    }
    return work;
  }

  private Work work(
      String name, String queue, int priority, boolean preemptible, int tasks, int least) {
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      TreeMap<String, Long> gpu = new TreeMap<>(Map.of("gpu", 1000L));
      parts.add(new Part(name + i, "", 0, new TreeMap<>(), 1, 1000, gpu, List.of()));
    }
    Work work =
        new Work(
            new Work.Facts(name, queue, priority, preemptible, 0), parts, Map.of("", least), null);
    works.add(work);
    return work;
  }

  private static Account account(String name, long nominal) {
    return new Account(
        new Account.Rights(
            name, null, 0, 100, Map.of("gpu", nominal), Map.of(), Map.of("gpu", 1.0)));
  }
}
