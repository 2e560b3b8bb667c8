/** Launchers: how the processes of a job's members start and find each other. */
@NullMarked
package dev.fairlead.work.launcher;

import org.jspecify.annotations.NullMarked;
