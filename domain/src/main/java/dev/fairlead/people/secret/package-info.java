/** Values that a project keeps for its jobs, written and never read back by people. */
@NullMarked
package dev.fairlead.people.secret;

import org.jspecify.annotations.NullMarked;
