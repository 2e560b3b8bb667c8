/** Rules that owners set for the jobs of a tenant or a project. */
@NullMarked
package dev.fairlead.work.policy;

import org.jspecify.annotations.NullMarked;
