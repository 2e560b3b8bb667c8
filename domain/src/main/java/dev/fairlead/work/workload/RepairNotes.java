package dev.fairlead.work.workload;

import dev.fairlead.care.health.repair.RepairAnswer;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.work.attempt.ObjectNames;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A call of a repairer as annotations of its node, and the response to it. Pure. */
public final class RepairNotes {
  /** Common prefix of the annotations. */
  public static final String PREFIX = ObjectNames.LABEL_PREFIX + "repair-";

  /** {@code NONCE STATE}, then {@code POWERED_OFF} if applicable, then a human-readable text. */
  public static final String ANSWER = PREFIX + "answer";

  private static final String[] ASKED = {"action", "key", "nonce", "step", "cause", "deadline"};
  private static final String POWERED_OFF = "POWERED_OFF";
  private static final int LONGEST = 1_000;
  private static final int LONGEST_MESSAGE = 200;

  private RepairNotes() {}

  /** Annotations for the repair controller on the node. */
  public static SortedMap<String, @Nullable String> of(RepairCall call) {
    SortedMap<String, @Nullable String> notes = new TreeMap<>();
    notes.put(PREFIX + "action", call.action().name());
    notes.put(PREFIX + "key", call.task().id().text());
    notes.put(PREFIX + "nonce", call.task().nonce());
    notes.put(PREFIX + "step", call.task().step().name());
    notes.put(PREFIX + "cause", call.cause());
    notes.put(PREFIX + "deadline", call.task().status().deadline().toString());
    return notes;
  }

  /** Removes all annotations, including the responses. */
  public static SortedMap<String, @Nullable String> none() {
    SortedMap<String, @Nullable String> notes = new TreeMap<>();
    for (String asked : ASKED) {
      notes.put(PREFIX + asked, null);
    }
    notes.put(ANSWER, null);
    return notes;
  }

  /** Answer of the repair controller to a call. */
  public static RepairAnswer answer(NodeNotes read) {
    return switch (read) {
      case NodeNotes.Not not -> new RepairAnswer.Unanswered(not.why());
      case NodeNotes.Shown shown -> answer(shown.notes().get(ANSWER));
    };
  }

  private static RepairAnswer answer(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return new RepairAnswer.Answered(
          RepairAnswer.Word.PENDING, null, false, "", "the node has no annotation " + ANSWER);
    }
    if (text.length() > LONGEST) {
      return new RepairAnswer.Unanswered(
          "annotation %s has %d characters, more than %d"
              .formatted(ANSWER, text.length(), LONGEST));
    }
    String[] words = text.strip().split("\\s+", 3);
    RepairAnswer.Word word = words.length < 2 ? null : word(words[1]);
    if (word == null) {
      return new RepairAnswer.Unanswered(
          "annotation %s is not NONCE STATE, with a state of PENDING, DONE, PASSED, FAILED, REFUSED and WITHDRAWN"
              .formatted(ANSWER));
    }
    String rest = words.length < 3 ? "" : words[2];
    boolean off = rest.equals(POWERED_OFF) || rest.startsWith(POWERED_OFF + " ");
    String message = off ? rest.substring(POWERED_OFF.length()).strip() : rest;
    return new RepairAnswer.Answered(word, words[0], off, "", brief(message));
  }

  private static String brief(String message) {
    return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE);
  }

  private static RepairAnswer.@Nullable Word word(String text) {
    for (RepairAnswer.Word word : RepairAnswer.Word.values()) {
      if (word.name().equals(text)) {
        return word;
      }
    }
    return null;
  }
}
