package dev.fairlead.work.workload.kubernetes.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import org.junit.jupiter.api.Test;

/** The number of objects requested at once. */
class PageSizeTest {
  /** The escapes that an API server writes for characters such as {@code &}. */
  private static final long ESCAPED = 6;

  /** Status, managed fields and all that Fairlead adds. */
  private static final long BESIDE = 96 << 10;

  /** As etcd takes it. */
  private static final long LARGEST_OBJECT = 3L << 19;

  /** Fails when a page of the largest pods that a job can have may be cut. */
  @Test
  void aPageOfTheLargestPodsOfJobsIsReadWhole() {
    long largest = Limit.SPEC_BYTES.most() * ESCAPED + BESIDE;
    assertThat(Pages.MOST * largest).isLessThan(AnswerGuard.LONGEST_ANSWER);
  }

  /** Fails when a foreign object can make a cluster unreadable. */
  @Test
  void smallestPageAndAnEventFitAnythingThatEtcdStores() {
    long largest = LARGEST_OBJECT * ESCAPED;
    assertThat(PageSize.LEAST * largest).isLessThan(AnswerGuard.LONGEST_ANSWER);
    assertThat(largest).isLessThan(AnswerGuard.LONGEST_EVENT);
  }

  /** Fails without {@link PageSize#read}: pages stay short long after their cause has ended. */
  @Test
  void pageSizeDoublesWhileResponsesAreFarBelowTheLimit() {
    PageSize page = new PageSize();
    for (int cuts = 0; cuts < 10; cuts++) {
      assertThat(page.tooLarge(new AnswerGuard.Cut("too long"))).isTrue();
    }
    assertThat(page.now()).isEqualTo(PageSize.LEAST);
    page.read(PageSize.FAR_SHORTER);
    assertThat(page.now()).as("twice as many may be too long").isEqualTo(PageSize.LEAST);
    page.read(PageSize.FAR_SHORTER - 1);
    assertThat(page.now()).isEqualTo(2 * PageSize.LEAST);
    for (int lists = 0; lists < 10; lists++) {
      page.read(1);
    }
    assertThat(page.now()).isEqualTo(Pages.MOST);
  }

  @Test
  void otherFailuresDoNotShrinkPages() {
    PageSize page = new PageSize();
    assertThat(page.tooLarge(null)).isFalse();
    assertThat(page.tooLarge(new IllegalStateException("no answer"))).isFalse();
    assertThat(page.now()).isEqualTo(Pages.MOST);
  }
}
