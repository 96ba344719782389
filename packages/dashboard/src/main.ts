import { mount } from 'svelte';
import App from './app.svelte';
import { startHub } from './live/line.ts';

// A worker takes its time to start, and so do the pages.
startHub();
const target = document.querySelector('#app');
if (target) mount(App, { target });
