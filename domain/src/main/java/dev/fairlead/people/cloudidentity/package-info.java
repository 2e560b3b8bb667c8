/** Accounts of cloud providers that the jobs of a project may use. */
@NullMarked
package dev.fairlead.people.cloudidentity;

import org.jspecify.annotations.NullMarked;
