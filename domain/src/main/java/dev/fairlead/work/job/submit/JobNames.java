package dev.fairlead.work.job.submit;

import dev.fairlead.kernel.identity.JobId;
import java.util.ArrayList;
import java.util.List;

/** Names for jobs without one, easy to pronounce, such as {@code brave-otter-7}. */
public final class JobNames {
  private static final int TRIES = 4;
  private static final int WORD_BITS = 6;
  private static final int FEWEST = 99;
  private static final long MIX = 0x9E3779B97F4A7C15L;
  private static final List<String> QUALITIES =
      words(
          """
          able agile amber ample apt azure bold brave brief bright brisk broad calm clear clever cool \
          coral crisp deep deft eager early easy exact fair fast fine firm fleet fond frank fresh \
          gentle glad golden grand green happy hardy honest jolly keen kind level light lively loyal lucid \
          mellow merry mild neat noble plain proud quick quiet ready sharp silver smart solid steady swift\
          """);
  private static final List<String> ANIMALS =
      words(
          """
          badger beaver bison bobcat camel cheetah condor cougar coyote crane curlew deer dolphin dove eagle egret \
          elk falcon ferret finch fox gannet gazelle gecko gibbon grouse hare hawk heron hornet husky ibex \
          ibis iguana jackal jaguar kestrel kiwi koala lark lemur leopard lion llama lynx marmot marten mole \
          moose newt ocelot orca osprey otter owl panda parrot pelican puffin puma raven robin salmon wombat\
          """);

  private JobNames() {}

  private static List<String> words(String text) {
    List<String> words = List.of(text.split(" "));
    if (words.size() != 1 << WORD_BITS) {
      throw new IllegalStateException(words.size() + " words");
    }
    return words;
  }

  /**
   * Candidate names for the job in order of trial. Always the same for the same id. Each form has
   * more possible numbers than the previous one, and the last is the id itself.
   */
  public static List<String> of(JobId id) {
    long bits = id.value().getMostSignificantBits() * MIX ^ id.value().getLeastSignificantBits();
    List<String> names = new ArrayList<>();
    long numbers = FEWEST;
    for (int i = 0; i < TRIES; i++) {
      bits = mixed(bits + MIX);
      names.add(
          QUALITIES.get((int) (bits >>> (Long.SIZE - WORD_BITS)))
              + "-"
              + ANIMALS.get((int) (bits >>> (Long.SIZE - 2 * WORD_BITS)) & ANIMALS.size() - 1)
              + "-"
              + (1 + (bits & Integer.MAX_VALUE) % numbers));
      numbers = numbers * 10 + 9;
    }
    names.add(id.bare());
    return names;
  }

  /** Spreads neighbouring ids over all names (the finaliser of SplitMix64). */
  private static long mixed(long value) {
    long bits = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
    bits = (bits ^ bits >>> 27) * 0x94D049BB133111EBL;
    return bits ^ bits >>> 31;
  }
}
