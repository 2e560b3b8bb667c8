package dev.fairlead.tenant;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What somebody may do, and how far it reaches. Which operations a role allows is in {@code
 * permissions.csv}.
 */
public enum Role {
  /** Everything, in every tenant. */
  ADMIN(Scope.PLATFORM),
  /** Clusters and nodes; reads jobs of every tenant, not their output. */
  OPERATOR(Scope.PLATFORM),
  /** Reads what every tenant has, not its output. */
  AUDITOR(Scope.PLATFORM),
  /** All jobs and projects of a tenant. */
  TENANT_OWNER(Scope.TENANT),
  /** Submits to every project of a tenant, and changes the jobs that it submitted. */
  TENANT_MEMBER(Scope.TENANT),
  /** Reads everything of a tenant. */
  TENANT_VIEWER(Scope.TENANT),
  /** All jobs of a project, and the project itself. */
  PROJECT_OWNER(Scope.PROJECT),
  /** Submits to a project, and changes the jobs that it submitted. */
  PROJECT_MEMBER(Scope.PROJECT),
  /** Reads everything of a project. */
  PROJECT_VIEWER(Scope.PROJECT);

  private final Scope scope;

  Role(Scope scope) {
    this.scope = scope;
  }

  /** Where a role counts. */
  public enum Scope {
    /** In every tenant, and on the fleet. */
    PLATFORM,
    /** In all projects of one tenant. */
    TENANT,
    /** In one project. */
    PROJECT
  }

  public Scope scope() {
    return scope;
  }

  /** As people write it: {@code tenant-owner}. */
  public String wire() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The role of that name; empty when there is none. */
  public static Optional<Role> of(String wire) {
    return Stream.of(values()).filter(role -> role.wire().equals(wire)).findFirst();
  }
}
