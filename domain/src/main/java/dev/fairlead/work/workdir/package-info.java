/** Code of jobs: archives of working directories in the log store. */
@NullMarked
package dev.fairlead.work.workdir;

import org.jspecify.annotations.NullMarked;
