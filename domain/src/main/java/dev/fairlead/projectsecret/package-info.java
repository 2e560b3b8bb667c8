/** Values that a project keeps for its jobs, written and never read back by people. */
@NullMarked
package dev.fairlead.projectsecret;

import org.jspecify.annotations.NullMarked;
