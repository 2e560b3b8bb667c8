package dev.fairlead.people.tenant;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A role and its scope. The operations that a role allows are in {@code permissions.csv}. */
public enum Role {
  /** Allows everything, in every tenant. */
  ADMIN(Scope.PLATFORM),
  /** Manages clusters and nodes. Reads jobs of every tenant, but not their output. */
  OPERATOR(Scope.PLATFORM),
  /** Reads objects of every tenant, but not the output of jobs. */
  AUDITOR(Scope.PLATFORM),
  /** Manages all jobs and projects of a tenant. */
  TENANT_OWNER(Scope.TENANT),
  /** Submits to every project of a tenant, and changes its own jobs. */
  TENANT_MEMBER(Scope.TENANT),
  /** Reads everything of a tenant. */
  TENANT_VIEWER(Scope.TENANT),
  /** Manages all jobs of a project, and the project itself. */
  PROJECT_OWNER(Scope.PROJECT),
  /** Submits to a project, and changes its own jobs. */
  PROJECT_MEMBER(Scope.PROJECT),
  /** Reads everything of a project. */
  PROJECT_VIEWER(Scope.PROJECT),
  /** Can only report GPU faults. For machines. */
  MONITOR(Scope.PLATFORM);

  private final Scope scope;

  Role(Scope scope) {
    this.scope = scope;
  }

  /** The scope of a role. */
  public enum Scope {
    /** Every tenant, and the fleet. */
    PLATFORM,
    /** All projects of one tenant. */
    TENANT,
    /** One project. */
    PROJECT
  }

  public Scope scope() {
    return scope;
  }

  /**
   * Returns the project role with the rights of this tenant role. A project role returns itself. In
   * each scope, the larger role comes first.
   *
   * @throws IllegalStateException for a role of the platform
   */
  public Role inProject() {
    return switch (this) {
      case TENANT_OWNER, PROJECT_OWNER -> PROJECT_OWNER;
      case TENANT_MEMBER, PROJECT_MEMBER -> PROJECT_MEMBER;
      case TENANT_VIEWER, PROJECT_VIEWER -> PROJECT_VIEWER;
      case ADMIN, OPERATOR, AUDITOR, MONITOR ->
          throw new IllegalStateException(wire() + " is of no tenant");
    };
  }

  /** Returns the name in the API: {@code tenant-owner}. */
  public String wire() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the role of that name, empty if it does not exist. */
  public static Optional<Role> of(String wire) {
    return Stream.of(values()).filter(role -> role.wire().equals(wire)).findFirst();
  }
}
