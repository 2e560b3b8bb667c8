/** Secrets of projects over HTTP. */
@NullMarked
package dev.fairlead.projectsecret.web;

import org.jspecify.annotations.NullMarked;
