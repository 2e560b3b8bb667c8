package dev.fairlead.people.tenant;

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
  PROJECT_VIEWER(Scope.PROJECT),
  /** A machine's: reports faults of GPUs, and can do nothing else. */
  MONITOR(Scope.PLATFORM);

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

  /**
   * The role of a project that allows there what this one allows in all of them; a role of a
   * project itself. In each scope the role that allows more comes first.
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

  /** As people write it: {@code tenant-owner}. */
  public String wire() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The role of that name; empty when there is none. */
  public static Optional<Role> of(String wire) {
    return Stream.of(values()).filter(role -> role.wire().equals(wire)).findFirst();
  }
}
