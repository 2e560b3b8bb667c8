package dev.fairlead.people.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PermissionMatrixTest {
  private static final String HEAD =
      Stream.of(Role.values()).map(Role::wire).collect(Collectors.joining(",", "operation,", "\n"));
  private static final TenantId TENANT = new TenantId(new UUID(1, 1));

  /** Fails when an unlisted operation is allowed for the administrator, or for anyone. */
  @ParameterizedTest
  @EnumSource(Role.class)
  void operationWithoutARowIsDeniedToEveryRole(Role role) {
    assertThat(PermissionMatrix.CURRENT.grant("formatTheDisks", List.of(role))).isEqualTo(Grant.NO);
  }

  @Test
  void largestPermissionOfAnyRoleApplies() {
    PermissionMatrix matrix = PermissionMatrix.CURRENT;

    assertThat(matrix.grant("cancelJob", List.of(Role.TENANT_VIEWER))).isEqualTo(Grant.NO);
    assertThat(matrix.grant("cancelJob", List.of(Role.TENANT_VIEWER, Role.TENANT_MEMBER)))
        .isEqualTo(Grant.OWN);
    assertThat(matrix.grant("cancelJob", List.of(Role.PROJECT_OWNER, Role.TENANT_MEMBER)))
        .isEqualTo(Grant.YES);
    assertThat(matrix.grant("cancelJob", List.of())).isEqualTo(Grant.NO);
  }

  @Test
  void administratorMayDoEverythingAndTheAuditorChangesNothing() {
    assertThat(PermissionMatrix.CURRENT.operations())
        .allMatch(o -> PermissionMatrix.CURRENT.grant(o, List.of(Role.ADMIN)) == Grant.YES)
        .filteredOn(o -> PermissionMatrix.CURRENT.grant(o, List.of(Role.AUDITOR)) != Grant.NO)
        .isNotEmpty()
        .allMatch(o ->
            o.matches(
                "(export|get|list|preview|replay|report|stream|summarize|verify).*|(create|revoke)Token"));
  }

  /** Fails when a role can be granted that allows more than the granter may do. */
  @Test
  void roleCoversRolesWithASubsetOfItsPermissions() {
    PermissionMatrix matrix = PermissionMatrix.CURRENT;

    assertThat(matrix.covers(List.of(Role.ADMIN), Role.TENANT_OWNER)).isTrue();
    assertThat(matrix.covers(List.of(Role.TENANT_OWNER), Role.PROJECT_OWNER)).isTrue();
    assertThat(matrix.covers(List.of(Role.TENANT_MEMBER), Role.TENANT_VIEWER)).isTrue();
    assertThat(matrix.covers(List.of(Role.TENANT_MEMBER), Role.TENANT_OWNER)).isFalse();
    assertThat(matrix.covers(List.of(Role.TENANT_OWNER), Role.OPERATOR)).isFalse();
    assertThat(matrix.covers(List.of(Role.PROJECT_OWNER), Role.TENANT_VIEWER)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "getJob,yes,yes,yes,yes,yes,yes,yes,yes\n",
        "getJob,yes,yes,yes,yes,yes,yes,yes,yes,maybe\n",
        "getJob,yes,yes,yes,yes,yes,yes,yes,yes,yes\ngetJob,no,no,no,no,no,no,no,no,no\n"
      })
  void ambiguousMatrixIsRejected(String rows) {
    assertThatThrownBy(() -> PermissionMatrix.parse(HEAD + rows))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void matrixWithoutAColumnForEachRoleIsRejected() {
    assertThatThrownBy(() -> PermissionMatrix.parse("operation,admin\ngetJob,yes\n"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void denialNamesTheRequiredRolesAndTheGrantedRoles() {
    Actor ana = new Actor(TENANT, "ana", Role.TENANT_VIEWER);

    assertThatThrownBy(() -> Permissions.require(ana, "drainNode"))
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.FORBIDDEN))
        .hasMessageContaining("admin, operator")
        .hasMessageContaining("ana has tenant-viewer");
  }

  /** Fails when a role of one project, or of another tenant, applies to other projects. */
  @Test
  void rolesApplyInTheirScope() {
    ProjectId nlp = new ProjectId(new UUID(2, 1));
    Principal ana =
        new Principal(
            "ana",
            Principal.Kind.USER,
            TENANT,
            new TreeSet<>(),
            List.of(
                new Membership(TENANT, null, Role.TENANT_VIEWER),
                new Membership(TENANT, nlp, Role.PROJECT_OWNER),
                new Membership(new TenantId(new UUID(1, 2)), null, Role.TENANT_OWNER)));

    assertThat(ana.at(null).roles()).containsExactly(Role.TENANT_VIEWER);
    assertThat(ana.at(nlp).roles()).containsExactly(Role.TENANT_VIEWER, Role.PROJECT_OWNER);
    assertThat(ana.at(new ProjectId(new UUID(2, 2))).roles()).containsExactly(Role.TENANT_VIEWER);
    assertThat(ana.anywhere().roles()).containsExactly(Role.TENANT_VIEWER, Role.PROJECT_OWNER);
  }

  @Test
  void projectRoleCannotBeATenantMembership() {
    assertThatThrownBy(() -> new Membership(TENANT, null, Role.PROJECT_OWNER))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Membership(TENANT, null, Role.ADMIN))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
