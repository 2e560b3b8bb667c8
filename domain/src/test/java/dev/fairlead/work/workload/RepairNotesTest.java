package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.repair.RepairAnswer;
import dev.fairlead.care.health.repair.RepairAnswer.Word;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Annotations of a cluster's janitor on a node. */
class RepairNotesTest {
  private static RepairAnswer said(String text) {
    SortedMap<String, String> notes = new TreeMap<>();
    notes.put(RepairNotes.ANSWER, text);
    return RepairNotes.answer(new NodeNotes.Shown(notes));
  }

  private static RepairAnswer answered(Word word, String nonce, boolean off, String message) {
    return new RepairAnswer.Answered(word, nonce, off, "", message);
  }

  @Test
  void responseHasNonceStateAndMessage() {
    assertThat(said("n1 DONE")).isEqualTo(answered(Word.DONE, "n1", false, ""));
    assertThat(said("  n1\tPENDING  in rack  7 "))
        .isEqualTo(answered(Word.PENDING, "n1", false, "in rack  7"));
    assertThat(said("n1 DONE POWERED_OFF by the PDU"))
        .isEqualTo(answered(Word.DONE, "n1", true, "by the PDU"));
    assertThat(said("n1 DONE POWERED_OFFICE"))
        .isEqualTo(answered(Word.DONE, "n1", false, "POWERED_OFFICE"));
  }

  /** Fails when a power-off or a state is read from an invalid annotation. */
  @Test
  void malformedResponseIsIgnored() {
    assertThat(said("DONE")).isInstanceOf(RepairAnswer.Unanswered.class);
    assertThat(said("n1 done")).isInstanceOf(RepairAnswer.Unanswered.class);
    assertThat(said("n1 DONE " + "x".repeat(2000))).isInstanceOf(RepairAnswer.Unanswered.class);
    assertThat(RepairNotes.answer(new NodeNotes.Shown(new TreeMap<>())))
        .isInstanceOfSatisfying(
            RepairAnswer.Answered.class,
            none -> {
              assertThat(none.word()).isEqualTo(Word.PENDING);
              assertThat(none.nonce()).isNull();
            });
    assertThat(RepairNotes.answer(new NodeNotes.Not("no right")))
        .isEqualTo(new RepairAnswer.Unanswered("no right"));
  }
}
