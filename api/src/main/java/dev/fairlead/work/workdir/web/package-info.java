/** Uploads of code over HTTP. */
@NullMarked
package dev.fairlead.work.workdir.web;

import org.jspecify.annotations.NullMarked;
