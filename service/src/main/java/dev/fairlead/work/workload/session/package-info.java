/** Sessions of callers in running members: commands, and connections to ports. */
@NullMarked
package dev.fairlead.work.workload.session;

import org.jspecify.annotations.NullMarked;
