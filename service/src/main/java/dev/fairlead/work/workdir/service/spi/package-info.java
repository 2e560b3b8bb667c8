/** Uploads, reads and deletes the code of jobs. */
@NullMarked
package dev.fairlead.work.workdir.service.spi;

import org.jspecify.annotations.NullMarked;
