package dev.fairlead.kernel.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageTokensTest {
  private final PageTokens tokens =
      new PageTokens("0123456789abcdef".getBytes(StandardCharsets.UTF_8));
  private final Actor ana = new Actor(new TenantId(new UUID(1, 1)), "ana", Role.TENANT_MEMBER);
  private final Actor other = new Actor(new TenantId(new UUID(2, 2)), "ana", Role.TENANT_MEMBER);

  @Test
  void tokenRoundTripsItsPosition() {
    String token = tokens.next(ana, "jobs a", "here");

    assertThat(tokens.position(ana, "jobs a", token).map(String::length)).contains(4);
    assertThat(tokens.position(ana, "jobs a", null).map(String::length)).isEmpty();
  }

  @Test
  void tokenOfAnotherFilterTenantOrKeyIsRejected() {
    String token = tokens.next(ana, "jobs a", "here");
    PageTokens others = new PageTokens("fedcba9876543210".getBytes(StandardCharsets.UTF_8));

    assertRefused(
        () -> tokens.position(ana, "jobs b", token)); // fails when the filter is not sealed
    assertRefused(
        () -> tokens.position(other, "jobs a", token)); // fails when the tenant is not sealed
    assertRefused(() -> others.position(ana, "jobs a", token));
  }

  /** Fails when a position of an older version is an error of the service. */
  @Test
  void positionInAnotherFormIsRejected() {
    String token = tokens.next(ana, "elements", "42 worker");

    assertRefused(() -> tokens.position(ana, "elements", token).map(Integer::parseInt));
    assertRefused(() -> tokens.position(ana, "elements", token).map(text -> text.split(" ")[2]));
  }

  @Test
  void tokenPartsAreNotInterchangeable() {
    // fails when the parts are sealed without their lengths
    assertRefused(() -> tokens.position(ana, "ab", tokens.next(ana, "a", "bc")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "????",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "..%2f",
        "AAAAAAAAAAAAAAAAAAAAAA"
      })
  void invalidPageTokenIsRejected(String token) {
    assertRefused(() -> tokens.position(ana, "jobs a", token));
    assertRefused(() -> tokens.position(ana, "jobs a", token.repeat(2000)));
  }

  private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.INVALID_PAGE_TOKEN));
  }
}
