/** Secrets of projects on PostgreSQL. */
@NullMarked
package dev.fairlead.projectsecret.postgres;

import org.jspecify.annotations.NullMarked;
