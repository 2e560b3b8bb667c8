package dev.fairlead.money.statement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.cost.ServiceCost;
import dev.fairlead.work.serving.cost.ServiceCost.Unknown;
import dev.fairlead.work.serving.key.KeyUse;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.ServiceUse;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Shares of the keys of a service in its cost. */
class TokenLineTest {
  private static final BigDecimal GPU_HOUR = BigDecimal.valueOf(3_600_000_000L);
  private static final ModelServiceId CHAT = new ModelServiceId(new UUID(1, 1));
  private static final ProjectId PROJECT = new ProjectId(new UUID(2, 1));

  private static ServiceUse used(String key, long prompt, long completion) {
    return new ServiceUse(
        PROJECT, "chat", new ServiceKey.Name(CHAT, key), new KeyUse(1, prompt, completion, 0));
  }

  /** Costs that many millionths of a euro, and a quarter of one. */
  private static ServiceCost cost(long micros) {
    BigDecimal exact = BigDecimal.valueOf(micros).add(new BigDecimal("0.25"));
    return new ServiceCost(exact.multiply(GPU_HOUR), "EUR", null);
  }

  private static List<TokenLine> lines(ServiceCost cost, List<ServiceUse> uses) {
    return TokenLine.of(uses, "nlp", "CC-1", cost);
  }

  /** Fails when each share is rounded by itself, so that the shares are more than the cost. */
  @Test
  void sharesOfTheKeysAddUpToTheCostOfTheService() {
    Random random = new Random(7);
    for (int round = 0; round < 200; round++) {
      List<ServiceUse> uses =
          IntStream.range(0, 1 + random.nextInt(9))
              .mapToObj(key -> used("k" + key, random.nextInt(99), 1 + random.nextInt(99)))
              .toList();
      long micros = random.nextInt(1_000);
      assertThat(
              lines(cost(micros), uses).stream()
                  .map(line -> line.share().micros())
                  .reduce(BigInteger.ZERO, BigInteger::add))
          .isEqualTo(BigInteger.valueOf(micros));
    }
  }

  @Test
  void costIsSharedInProportionToPromptAndCompletionTokens() {
    List<TokenLine> lines = lines(cost(900), List.of(used("app", 10, 20), used("eval", 60, 0)));
    assertThat(lines)
        .extracting(line -> line.key().name() + " " + line.share().micros())
        .containsExactly("app 300", "eval 600");
    assertThat(lines.getFirst().names()).isEqualTo(new TokenLine.Names("chat", "nlp", "CC-1"));
  }

  /** Fails when a cost that cannot be divided is 0, or has no reason. */
  @Test
  void unknownShareHasItsReason() {
    assertThat(lines(cost(900), List.of(used("app", 0, 0))).getFirst())
        .satisfies(line -> {
          assertThat(line.share()).isNull();
          assertThat(line.unknown()).isEqualTo(Unknown.NO_TOKENS);
        });
    ServiceCost none = new ServiceCost(null, null, Unknown.NO_PRICE);
    assertThat(lines(none, List.of(used("app", 5, 0))).getFirst())
        .satisfies(line -> {
          assertThat(line.share()).isNull();
          assertThat(line.unknown()).isEqualTo(Unknown.NO_PRICE);
        });
  }
}
