/** Model services over HTTP. */
@NullMarked
package dev.fairlead.work.serving.web;

import org.jspecify.annotations.NullMarked;
