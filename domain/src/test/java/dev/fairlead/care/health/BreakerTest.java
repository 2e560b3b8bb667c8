package dev.fairlead.care.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.Breaker.Scope;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limit of automatic isolation. */
class BreakerTest {
  @Test
  void limitIsAShareOfTheScopeBetweenMinimumAndMaximum() {
    Breaker breaker = new Breaker(Scope.FLEET, 10, 8, 200);
    assertThat(breaker.most(1)).isEqualTo(8);
    assertThat(breaker.most(1000)).isEqualTo(100);
    assertThat(breaker.most(Integer.MAX_VALUE)).isEqualTo(200);
    assertThat(breaker.stops(99, 1000)).isFalse();
    assertThat(breaker.stops(100, 1000)).isTrue();
  }

  @Test
  void everyScopeHasABreaker() {
    for (Scope scope : Scope.values()) {
      assertThat(Breaker.of(scope).scope()).isEqualTo(scope);
    }
    assertThat(Breaker.of(Scope.CLUSTER).most(4)).as("one always").isEqualTo(1);
  }

  /** Fails when an invalid file removes the limit. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "CLUSTER,25,1,50",
        "CLUSTER,25,1,50\nPOOL,50,1,50\nFLEET,10,8,200\nFLEET,10,8,200",
        "CLUSTER,25,1,50\nPOOL,50,1,50\nFLEET,0,8,200",
        "CLUSTER,25,1,50\nPOOL,50,1,50\nFLEET,10,8,7",
        "CLUSTER,25,1\nPOOL,50,1,50\nFLEET,10,8,200"
      })
  void invalidBreakerFileIsRejected(String rows) {
    assertThatThrownBy(() -> Breaker.parse("scope,percent,at_least,at_most\n" + rows))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
